/// OBU elements of an RTP payload of AV1, in order (RTP Payload Format for AV1 version 1.0, section 4.3).
package struct AV1Elements {
    /// An OBU, or a fragment of one.
    package struct Element {
        package let bytes: UnsafeRawBufferPointer
        /// The OBU began in an earlier packet.
        package let continuesElement: Bool
        /// The OBU ends in a later packet.
        package let isContinued: Bool
    }

    private let header: AV1AggregationHeader
    private let payload: UnsafeRawBufferPointer
    private var offset = 1
    private var index = 0

    /// - Parameters:
    ///   - header: that of `payload`.
    ///   - payload: RTP payload with its aggregation header; it must outlive this value.
    package init(_ header: AV1AggregationHeader, _ payload: UnsafeRawBufferPointer) {
        self.header = header
        self.payload = payload
    }

    /// Returns the next element; nil at the end.
    /// - Throws: if a length exceeds the payload or its bounds, or the payload has fewer elements than its header states.
    package mutating func next() throws(RTPError) -> Element? {
        let count = Int(header.elementCount)
        if count == 0 ? offset >= payload.count : index >= count { return nil }
        var end = payload.count
        if count == 0 || index < count - 1 {
            let length = try AV1Number.read(payload, &offset, field: .av1Element)
            guard length <= payload.count - offset else { throw .truncated(.av1Element) }
            end = offset + length
        } else {
            guard offset < end else { throw .truncated(.av1Element) }
        }
        let element = Element(
            bytes: UnsafeRawBufferPointer(rebasing: payload[offset..<end]),
            continuesElement: index == 0 && header.continuesElement,
            isContinued: end == payload.count && (count == 0 || index == count - 1) && header.isContinued)
        offset = end
        index += 1
        return element
    }
}
