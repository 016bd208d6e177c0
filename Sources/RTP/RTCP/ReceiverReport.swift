package import MediaBase

/// RR: reception report of a participant that sends no media (RFC 3550 section 6.4.2).
///
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |V=2|P|    RC   |   PT=RR=201   |             length            |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                     SSRC of packet sender                     |
///     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
///     |                    RC report blocks                           |
package struct ReceiverReport: Hashable, Sendable {
    package var sender: SSRC
    /// At most 31 are written.
    package var blocks: [ReportBlock]

    package init(sender: SSRC, blocks: [ReportBlock] = []) {
        self.sender = sender
        self.blocks = blocks
    }

    package init(parsing packet: RTCPPacket) throws(RTPError) {
        sender = SSRC(try packet.body(of: .receiverReport, atLeast: 4, .rtcpHeader).u32(0))
        blocks = try ReportBlock.blocks(in: packet.body, from: 4, count: packet.count)
    }

    package func write(into bytes: inout [UInt8]) {
        bytes.appendRTCP(.receiverReport, count: min(blocks.count, 31)) { bytes in
            bytes.appendBigEndian(sender.rawValue)
            for block in blocks.prefix(31) { block.write(into: &bytes) }
        }
    }
}
