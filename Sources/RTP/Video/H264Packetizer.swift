/// Packetizer of H.264 access units into RTP payloads in packetization mode 1 (RFC 6184 section 5): small NAL units, such as parameter sets,
/// are aggregated (STAP-A), and large ones are fragmented (FU-A).
package struct H264Packetizer: Sendable {
    private enum Structure {
        static let aggregate: UInt8 = 24
        static let fragment: UInt8 = 28
    }

    /// Maximum size of an RTP payload in bytes.
    package let maximumPayloadLength: Int

    /// - Precondition: `maximumPayloadLength` is more than the headers of a fragment: at least 3.
    package init(maximumPayloadLength: Int = 1_200) {
        precondition(maximumPayloadLength > 2)
        self.maximumPayloadLength = maximumPayloadLength
    }

    /// Returns the payloads of an access unit; the last one gets the marker bit.
    /// - Parameter frame: NAL units behind start codes (ITU-T H.264 Annex B). Without a NAL unit there are no payloads.
    package func payloads(of frame: [UInt8]) -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        var group: [Range<Int>] = []
        var groupLength = 1
        func endGroup() {
            if let unit = group.first {
                payloads.append(group.count == 1 ? Array(frame[unit]) : Self.aggregate(group, of: frame))
            }
            group = []
            groupLength = 1
        }
        for unit in H264AccessUnit(frame).units {
            guard unit.range.count <= maximumPayloadLength else {
                endGroup()
                payloads += fragments(frame[unit.range])
                continue
            }
            if groupLength + 2 + unit.range.count > maximumPayloadLength { endGroup() }
            group.append(unit.range)
            groupLength += 2 + unit.range.count
        }
        endGroup()
        return payloads
    }

    /// Returns a STAP-A: its header with the highest NRI, then each NAL unit behind its length of 16 bits.
    private static func aggregate(_ units: [Range<Int>], of frame: [UInt8]) -> [UInt8] {
        let importance = units.map { frame[$0.lowerBound] & 0x60 }.max() ?? 0
        return units.reduce(into: [importance | Structure.aggregate]) { payload, unit in
            payload += [UInt8(truncatingIfNeeded: unit.count >> 8), UInt8(truncatingIfNeeded: unit.count)]
            payload += frame[unit]
        }
    }

    /// Returns the FU-A payloads of a NAL unit, which share its bytes after the header evenly.
    private func fragments(_ unit: ArraySlice<UInt8>) -> [[UInt8]] {
        guard let header = unit.first else { return [] }
        let body = unit.dropFirst()
        let room = maximumPayloadLength - 2
        let count = (body.count + room - 1) / room
        let share = (body.count + count - 1) / count
        return stride(from: body.startIndex, to: body.endIndex, by: share).map { start in
            let end = min(start + share, body.endIndex)
            let isStart: UInt8 = start == body.startIndex ? 0x80 : 0
            let isEnd: UInt8 = end == body.endIndex ? 0x40 : 0
            return [header & 0x60 | Structure.fragment, isStart | isEnd | header & 0x1f] + body[start..<end]
        }
    }
}
