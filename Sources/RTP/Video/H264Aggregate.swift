/// NAL units of a STAP-A payload, in order (RFC 6184 section 5.7.1). Each is preceded by its length in 16 bits.
package struct H264Aggregate {
    private let payload: UnsafeRawBufferPointer
    private var offset = 1

    /// - Parameter payload: RTP payload with the header of the aggregate; it must outlive this value.
    package init(_ payload: UnsafeRawBufferPointer) { self.payload = payload }

    /// Returns the next NAL unit, header included; nil at the end.
    /// - Throws: if a length exceeds the payload or is 0, or if the unit is not a single NAL unit.
    package mutating func next() throws(RTPError) -> UnsafeRawBufferPointer? {
        guard offset < payload.count, let base = payload.baseAddress else { return nil }
        guard payload.count - offset >= 2 else { throw .truncated(.h264Aggregate) }
        let length = Int(base.u16(offset))
        guard length > 0 else { throw .invalid(.h264Aggregate) }
        guard payload.count - offset - 2 >= length else { throw .truncated(.h264Aggregate) }
        let start = offset + 2
        guard base.u8(start) & 0x80 == 0, H264UnitType(header: base.u8(start)).isUnit else {
            throw .invalid(.h264Aggregate)
        }
        offset = start + length
        return UnsafeRawBufferPointer(rebasing: payload[start..<offset])
    }
}
