/// Reads the facts of H.264 packets (RFC 6184, packetization mode 1). The payload does not mark the start of a frame: it is the first packet
/// of a new timestamp that does not continue a NAL unit.
package struct H264Reader: Sendable {
    private var starts = FrameStarts()

    package init() {}

    /// Properties of the NAL units of one packet.
    private struct Content {
        /// The packet begins with a NAL unit that a frame can begin with.
        var canStart = true
        /// An access unit delimiter, a sequence parameter set or the first slice.
        var mustStart = false
        /// A sequence parameter set, or the first slice of a key frame.
        var isKey = false
        var hasSequenceSet = false
        var reordersFrames = false
        var width: UInt16 = 0
        var height: UInt16 = 0

        /// - Parameters:
        ///   - unit: the whole NAL unit; nil if this is its first fragment.
        ///   - body: first byte after the header of the NAL unit; nil if there is none.
        ///   - isFirst: the NAL unit is the first of the packet.
        mutating func add(_ type: H264UnitType, unit: UnsafeRawBufferPointer?, body: UInt8?, isFirst: Bool) {
            switch type {
            case .slice, .keyFrameSlice:
                // first_mb_in_slice is 0, which is a single set bit (ITU-T H.264 section 7.3.3).
                let isFirstSlice = body.map { $0 & 0x80 != 0 } ?? false
                if isFirst, !isFirstSlice { canStart = false }
                mustStart = mustStart || isFirstSlice
                if type == .keyFrameSlice, isFirstSlice { isKey = true }
            case .sequenceParameterSet:
                mustStart = true
                isKey = true
                hasSequenceSet = true
                if let unit, let set = try? H264SequenceParameterSet(parsing: unit) {
                    width = set.width
                    height = set.height
                    reordersFrames = set.reorderedFrames ?? 0 > 0
                }
            case .accessUnitDelimiter: mustStart = true
            default: break
            }
        }
    }

    package mutating func read(_ payload: UnsafeRawBufferPointer, timestamp: Int64) throws(RTPError) -> FrameFacts {
        let unit = try H264Payload(parsing: payload)
        var content = Content()
        switch unit.structure {
        case .singleUnit:
            content.add(unit.type, unit: payload, body: payload.count > 1 ? payload[1] : nil, isFirst: true)
        case .aggregate:
            var units = H264Aggregate(payload)
            var isFirst = true
            while let unit = try units.next() {
                content.add(
                    H264UnitType(header: unit[0]), unit: unit, body: unit.count > 1 ? unit[1] : nil, isFirst: isFirst)
                isFirst = false
            }
            guard !isFirst else { throw .truncated(.h264Aggregate) }
        case .fragment(let isStart, _):
            if isStart {
                content.add(unit.type, unit: nil, body: payload.count > 2 ? payload[2] : nil, isFirst: true)
            } else {
                content.canStart = false
            }
        }
        let found = starts.take(
            timestamp: timestamp, canStart: content.canStart, mustStart: content.mustStart, isKey: content.isKey)
        var facts = FrameFacts()
        facts.isFrameStart = found.frame
        facts.isKeyFrameStart = found.keyFrame
        if content.hasSequenceSet {
            facts.parameterSets = content.reordersFrames ? [.sequence, .reordersFrames] : .sequence
        } else if found.keyFrame {
            facts.parameterSets = .isMissing
        }
        facts.width = content.width
        facts.height = content.height
        return facts
    }
}
