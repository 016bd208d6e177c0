package import MediaBase

/// RTP payload with redundant audio (RFC 2198 section 3): the headers of all blocks, then their data. The last block is the primary one,
/// which a packet without redundancy carries alone; the blocks before it repeat earlier packets.
///
///      0                   1                   2                   3
///      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |1|   block PT  |     timestamp offset      |    block length   |   of each redundant block
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |0|   block PT  |   of the primary block
///     +-+-+-+-+-+-+-+-+
package struct REDPayload: Hashable, Sendable {
    /// Maximum number of redundant blocks. Browsers send one, or nine at most.
    package static let maximumRedundantBlocks = 16

    /// Payload type of the primary block.
    package let payloadType: PayloadType
    package let redundantBlocks: Int
    /// Bytes before the primary block, which ends with the payload and is not empty.
    package let primaryOffset: Int

    /// - Throws: `truncated` if a header or a block ends after the payload, or if the primary block is empty; `invalid` if there are more than
    ///   `maximumRedundantBlocks`.
    package init(parsing payload: UnsafeRawBufferPointer) throws(RTPError) {
        var at = 0
        var blocks = 0
        var data = 0
        while at < payload.count, payload[at] & 0x80 != 0 {
            guard blocks < Self.maximumRedundantBlocks else { throw .invalid(.redHeader) }
            guard payload.count - at >= 4 else { throw .truncated(.redHeader) }
            data += Int(payload[at + 2] & 0x03) << 8 | Int(payload[at + 3])
            blocks += 1
            at += 4
        }
        guard at < payload.count else { throw .truncated(.redHeader) }
        payloadType = PayloadType(payload[at])
        redundantBlocks = blocks
        primaryOffset = at + 1 + data
        guard primaryOffset < payload.count else { throw .truncated(.redBlock) }
    }
}
