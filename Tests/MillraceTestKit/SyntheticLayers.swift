package import MediaBase
import RTP

/// A publisher's VP9 track with spatial and temporal layers and with dependency descriptors, in virtual time. In its modes, `L3T3_KEY` and those
/// with fewer layers, only the frames of a key frame's time refer to a lower spatial layer. Descriptors are written as the RTP Payload Format
/// for AV1 (appendix A) states, with one template for each kind of frame.
package struct SyntheticLayers: Sendable {
    package struct Packet: Sendable {
        package var packet: SourcePacket
        /// Data of the dependency descriptor.
        package var descriptor: [UInt8]
        package var spatial: Int
        package var temporal: Int
        /// Number of the time of its frame, from 0.
        package var time: Int
        package var isKey: Bool
        package var frameNumber: UInt16
        /// The last packet of its frame.
        package var endsFrame: Bool
    }

    /// Bytes of a payload before its identity.
    package static let payloadHeader = 5
    package static let payloadType = PayloadType(98)
    package static let width = 960
    package static let height = 540
    /// Temporal layers of the frames of one period, for one to three temporal layers.
    private static let patterns = [[0], [0, 1], [0, 2, 1, 2]]

    package let id: UInt32
    package let ssrc: SSRC
    package let spatialLayers: Int
    package let temporalLayers: Int
    package var nextIndex: Int64
    package var timestamp: UInt32 = 0xffff_f000
    package var pictureID: UInt16 = 0x7ff0
    package var frameNumber: UInt16 = 0xfff0
    /// Identifier of the first template, 0...63.
    package var templateOffset: UInt8
    private var time = 0
    private var step = 0
    private var tl0: UInt8 = 250

    package init(
        id: UInt32 = 1, spatialLayers: Int, temporalLayers: Int, firstSequence: UInt16 = 65_500,
        templateOffset: UInt8 = 60
    ) {
        self.id = id
        ssrc = SSRC(0x5000_0000 + id)
        self.spatialLayers = spatialLayers
        self.temporalLayers = temporalLayers
        self.templateOffset = templateOffset
        nextIndex = Int64(firstSequence)
    }

    /// Returns the packets of all layers of the next time.
    /// - Parameters:
    ///   - packets: number of packets of each layer's frame.
    ///   - bytes: bytes of a packet's payload.
    ///   - leavingOut: spatial layers whose frames the encoder leaves out. As in Chromium, only packets of the highest layer have a marker bit.
    package mutating func next(
        isKey: Bool, packets: Int = 2, bytes: Int = 200, leavingOut: Set<Int> = []
    ) -> [Packet] {
        if isKey { step = 0 }
        let pattern = Self.patterns[temporalLayers - 1]
        let temporal = pattern[step % pattern.count]
        step += 1
        timestamp &+= 3000
        pictureID = (pictureID + 1) & 0x7fff
        if temporal == 0 { tl0 &+= 1 }
        defer { time += 1 }
        var made: [Packet] = []
        for spatial in 0..<spatialLayers where !leavingOut.contains(spatial) {
            frameNumber &+= 1
            for index in 0..<packets {
                let isFirst = index == 0
                let isLast = index == packets - 1
                // I, L; P unless the frame is one of a key frame's lowest layer; B and E.
                var first: UInt8 = 0xa0 | (isKey && spatial == 0 ? 0 : 0x40)
                if isFirst { first |= 0x08 }
                if isLast { first |= 0x04 }
                let layer = UInt8(temporal << 5 | spatial << 1 | (isKey && spatial > 0 ? 1 : 0))
                let payload = [first, 0x80 | UInt8(pictureID >> 8), UInt8(pictureID & 0xff), layer, tl0]
                made.append(
                    Packet(
                        packet: packet(
                            payload, bytes: bytes, marker: isLast && spatial == spatialLayers - 1,
                            startsKeyFrame: isKey && spatial == 0 && isFirst),
                        descriptor: descriptor(
                            spatial, temporal, isKey: isKey, isFirst: isFirst, isLast: isLast),
                        spatial: spatial, temporal: temporal, time: time, isKey: isKey, frameNumber: frameNumber,
                        endsFrame: isLast))
            }
        }
        return made
    }

    private mutating func packet(_ head: [UInt8], bytes: Int, marker: Bool, startsKeyFrame: Bool) -> SourcePacket {
        var payload = head
        func put(_ value: UInt64, _ count: Int) {
            for i in (0..<count).reversed() { payload.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * i))) }
        }
        let length = max(bytes, head.count + SyntheticSource.identityLength)
        put(0x4d49_4c4c, 4)
        put(UInt64(id), 4)
        put(UInt64(bitPattern: nextIndex), 8)
        put(UInt64(length), 8)
        while payload.count < length { payload.append(UInt8(truncatingIfNeeded: payload.count)) }
        let header = RTPHeader(
            payloadType: Self.payloadType, sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: nextIndex)),
            timestamp: RTPTimestamp(timestamp), ssrc: ssrc, marker: marker, payloadLength: payload.count)
        defer { nextIndex += 1 }
        return SourcePacket(header: header, payload: payload, index: nextIndex, startsKeyFrame: startsKeyFrame)
    }

    // MARK: descriptors

    private struct Template {
        var spatial: Int
        var temporal: Int
        var isKey: Bool
    }

    /// A key frame and another one of each spatial layer's base, and one for each higher temporal layer.
    private var templates: [Template] {
        (0..<spatialLayers).flatMap { spatial in
            [true, false].map { Template(spatial: spatial, temporal: 0, isKey: $0) }
                + (1..<max(1, temporalLayers)).map { Template(spatial: spatial, temporal: $0, isKey: false) }
        }
    }

    private func descriptor(_ spatial: Int, _ temporal: Int, isKey: Bool, isFirst: Bool, isLast: Bool) -> [UInt8] {
        let index =
            templates.firstIndex { $0.spatial == spatial && $0.temporal == temporal && $0.isKey == isKey } ?? 0
        var bits = BitWriter()
        bits.flag(isFirst)
        bits.flag(isLast)
        bits.bits(UInt32((Int(templateOffset) + index) % 64), 6)
        bits.bits(UInt32(frameNumber), 16)
        guard isKey, spatial == 0, isFirst else { return bits.bytes }
        // Only the structure follows.
        bits.bits(0x10, 5)
        writeStructure(into: &bits)
        return bits.bytes
    }

    private func writeStructure(into bits: inout BitWriter) {
        let targets = (0..<spatialLayers).flatMap { spatial in (0..<temporalLayers).map { (spatial, $0) } }
        bits.bits(UInt32(templateOffset), 6)
        bits.bits(UInt32(targets.count - 1), 5)
        for (this, next) in zip(templates, templates.dropFirst()) {
            bits.bits(next.spatial > this.spatial ? 2 : next.temporal > this.temporal ? 1 : 0, 2)
        }
        bits.bits(3, 2)
        for template in templates {
            for target in targets { bits.bits(indication(of: template, target), 2) }
        }
        for template in templates {
            for difference in references(of: template) {
                bits.flag(true)
                bits.bits(UInt32(difference - 1), 4)
            }
            bits.flag(false)
        }
        // Each spatial layer has a chain.
        bits.nonSymmetric(UInt32(spatialLayers), UInt32(targets.count + 1))
        for target in targets { bits.nonSymmetric(UInt32(target.0), UInt32(spatialLayers)) }
        for template in templates {
            for chain in 0..<spatialLayers {
                let distance = template.isKey ? template.spatial - min(chain, template.spatial) : spatialLayers
                bits.bits(UInt32(min(15, distance)), 4)
            }
        }
        bits.flag(true)
        for spatial in 0..<spatialLayers {
            let size = size(ofSpatialLayer: spatial)
            bits.bits(UInt32(size.width - 1), 16)
            bits.bits(UInt32(size.height - 1), 16)
        }
    }

    /// Each layer has half the size of the next.
    package func size(ofSpatialLayer layer: Int) -> (width: Int, height: Int) {
        (Self.width >> (spatialLayers - 1 - layer), Self.height >> (spatialLayers - 1 - layer))
    }

    private func indication(of template: Template, _ target: (spatial: Int, temporal: Int)) -> UInt32 {
        if template.isKey { return target.spatial >= template.spatial ? 2 : 0 }
        guard target.spatial == template.spatial, target.temporal >= template.temporal else { return 0 }
        return template.temporal > 0 && template.temporal == target.temporal ? 1 : 2
    }

    private func references(of template: Template) -> [Int] {
        if template.isKey { return template.spatial == 0 ? [] : [1] }
        let distance = [Self.patterns[temporalLayers - 1].count, 2, 1][template.temporal]
        return [min(16, distance * spatialLayers)]
    }
}
