/// OBUs of a temporal unit, as `FrameDepacketizer` composes it: each has a size field.
package struct AV1TemporalUnit {
    package struct Unit: Sendable {
        package var isSequenceHeader: Bool
        /// Range of the whole OBU, and of its payload.
        package var range: Range<Int>
        package var payload: Range<Int>
    }

    package let units: [Unit]

    /// - Throws: for an OBU that is truncated or has no size.
    package init(_ bytes: [UInt8]) throws(RTPError) {
        var units: [Unit] = []
        var start = 0
        while start < bytes.count {
            let header = AV1OBUHeader(bytes[start])
            guard !header.isForbidden, header.hasSize else { throw .invalid(.av1OBU) }
            var offset = start + header.length
            let size = try AV1Number.read(bytes, &offset, field: .av1OBU)
            guard size <= bytes.count - offset else { throw .truncated(.av1OBU) }
            let end = offset + size
            units.append(
                Unit(isSequenceHeader: header.type == .sequenceHeader, range: start..<end, payload: offset..<end))
            start = end
        }
        self.units = units
    }
}
