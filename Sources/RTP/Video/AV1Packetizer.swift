/// Packetizer of AV1 temporal units into RTP payloads (RTP Payload Format for AV1 version 1.0, section 4). The OBU elements have no size
/// fields; temporal delimiters and tile lists are left out.
package struct AV1Packetizer: Sendable {
    /// Maximum size of an RTP payload in bytes, aggregation header included.
    package let maximumPayloadLength: Int

    /// Bytes of the longest length before an element: two, for elements below 16,384 bytes.
    private static let lengthBytes = 2

    /// A payload in the making.
    private struct Payload {
        var elements: [[UInt8]] = []
        /// Aggregation header and elements, each with a length.
        var length = 1
        var continuesElement = false

        /// - Parameter isContinued: whether the last element continues in the next payload.
        func bytes(isContinued: Bool, startsSequence: Bool) -> [UInt8] {
            // W: the number of elements, the last of which has no length; 0 for more than three, which all have one.
            let count = elements.count <= 3 ? elements.count : 0
            var bytes = [UInt8(count) << 4]
            if continuesElement { bytes[0] |= 0x80 }
            if isContinued { bytes[0] |= 0x40 }
            if startsSequence { bytes[0] |= 0x08 }
            for (index, element) in elements.enumerated() {
                if count == 0 || index < count - 1 { bytes += AV1Number.bytes(element.count) }
                bytes += element
            }
            return bytes
        }
    }

    /// - Precondition: `maximumPayloadLength` is 4 to 16,383.
    package init(maximumPayloadLength: Int = 1_200) {
        precondition((4..<1 << 14).contains(maximumPayloadLength))
        self.maximumPayloadLength = maximumPayloadLength
    }

    /// Returns the payloads of a temporal unit; the last one gets the marker bit.
    /// - Parameter frame: OBUs with size fields.
    /// - Throws: for an OBU that is truncated or has no size.
    package func payloads(of frame: [UInt8]) throws(RTPError) -> [[UInt8]] {
        let units = try AV1TemporalUnit(frame).units
        let startsSequence = units.contains { $0.isSequenceHeader }
        var payloads: [[UInt8]] = []
        var current = Payload()
        func end(isContinued: Bool) {
            payloads.append(
                current.bytes(isContinued: isContinued, startsSequence: startsSequence && payloads.isEmpty))
            current = Payload()
            current.continuesElement = isContinued
        }
        for unit in units {
            guard var rest = Self.element(unit, of: frame)?[...] else { continue }
            while !rest.isEmpty {
                let room = maximumPayloadLength - current.length - Self.lengthBytes
                guard room > 0 else {
                    end(isContinued: false)
                    continue
                }
                let part = rest.prefix(room)
                current.elements.append(Array(part))
                current.length += Self.lengthBytes + part.count
                rest = rest.dropFirst(part.count)
                if !rest.isEmpty { end(isContinued: true) }
            }
        }
        if !current.elements.isEmpty { end(isContinued: false) }
        return payloads
    }

    /// Returns an OBU without its size field; nil for a type that is not sent.
    private static func element(_ unit: AV1TemporalUnit.Unit, of frame: [UInt8]) -> [UInt8]? {
        let header = AV1OBUHeader(frame[unit.range.lowerBound])
        guard header.type != .temporalDelimiter, header.type != .tileList else { return nil }
        var bytes = Array(frame[unit.range.lowerBound..<(unit.range.lowerBound + header.length)])
        bytes[0] &= ~AV1OBUHeader.sizeFlag
        return bytes + frame[unit.payload]
    }
}
