package import MediaBase

/// SR: packets and bytes sent, the wall clock time of an RTP timestamp, and reception reports (RFC 3550 section 6.4.1).
///
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |V=2|P|    RC   |   PT=SR=200   |             length            |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                         SSRC of sender                        |
///     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
///     |            NTP timestamp, most significant word               |
///     |            NTP timestamp, least significant word              |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                         RTP timestamp                         |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                     sender's packet count                     |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                      sender's octet count                     |
///     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
///     |                    RC report blocks                           |
package struct SenderReport: Hashable, Sendable {
    package var sender: SSRC
    package var ntpTime: NTPTime
    /// The same instant on the sender's media clock.
    package var rtpTimestamp: RTPTimestamp
    /// Packets since the start, modulo 2^32.
    package var packetCount: UInt32
    /// Payload bytes since the start, modulo 2^32.
    package var octetCount: UInt32
    /// At most 31 are written.
    package var blocks: [ReportBlock]

    package init(
        sender: SSRC, ntpTime: NTPTime, rtpTimestamp: RTPTimestamp, packetCount: UInt32, octetCount: UInt32,
        blocks: [ReportBlock] = []
    ) {
        self.sender = sender
        self.ntpTime = ntpTime
        self.rtpTimestamp = rtpTimestamp
        self.packetCount = packetCount
        self.octetCount = octetCount
        self.blocks = blocks
    }

    package init(parsing packet: RTCPPacket) throws(RTPError) {
        let body = try packet.body(of: .senderReport, atLeast: 24, .senderInfo)
        sender = SSRC(body.u32(0))
        ntpTime = NTPTime(rawValue: body.u64(4))
        rtpTimestamp = RTPTimestamp(body.u32(12))
        packetCount = body.u32(16)
        octetCount = body.u32(20)
        blocks = try ReportBlock.blocks(in: packet.body, from: 24, count: packet.count)
    }

    package func write(into bytes: inout [UInt8]) {
        bytes.appendRTCP(.senderReport, count: min(blocks.count, 31)) { bytes in
            bytes.appendBigEndian(sender.rawValue)
            bytes.appendBigEndian(ntpTime.rawValue)
            bytes.appendBigEndian(rtpTimestamp.rawValue)
            bytes.appendBigEndian(packetCount)
            bytes.appendBigEndian(octetCount)
            for block in blocks.prefix(31) { block.write(into: &bytes) }
        }
    }
}
