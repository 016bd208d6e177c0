/// Aggregation header at the start of each RTP payload of AV1 (RTP Payload Format for AV1 version 1.0, section 4.4).
///
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
///     |Z|Y| W |N|-|-|-|
///     +-+-+-+-+-+-+-+-+
package struct AV1AggregationHeader: Hashable, Sendable {
    /// Z: the first OBU element continues the last one of the packet before.
    package let continuesElement: Bool
    /// Y: the last OBU element continues in the next packet.
    package let isContinued: Bool
    /// W: number of OBU elements, the last of which has no length; 0 if all have a length.
    package let elementCount: UInt8
    /// N: the first packet of a coded video sequence, which starts with a key frame.
    package let startsSequence: Bool

    /// Parses the header of an RTP payload. Throws if nothing follows the header, or if the first packet of a sequence continues an element.
    package init(parsing payload: UnsafeRawBufferPointer) throws(RTPError) {
        guard payload.count >= 1, let base = payload.baseAddress else { throw .truncated(.av1AggregationHeader) }
        let first = base.u8(0)
        continuesElement = first & 0x80 != 0
        isContinued = first & 0x40 != 0
        elementCount = first >> 4 & 0x03
        startsSequence = first & 0x08 != 0
        guard !startsSequence || !continuesElement else { throw .invalid(.av1AggregationHeader) }
        guard payload.count > 1 else { throw .truncated(.av1Element) }
    }
}
