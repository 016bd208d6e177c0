package import MediaBase

/// Extended report (RFC 3611). Parses the two blocks with which a receiver measures round trips (sections 4.4 and 4.5) and skips others.
///
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |V=2|P|reserved |   PT=XR=207   |             length            |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                              SSRC                             |
///     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
///     |     BT=4      |   reserved    |       block length = 2        |   RRTR
///     |              NTP timestamp, two words                         |
///     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
///     |     BT=5      |   reserved    |         block length          |   DLRR
///     |                 SSRC_1 (SSRC of first receiver)               |
///     |                         last RR (LRR)                         |
///     |                   delay since last RR (DLRR)                  |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
package struct XR: Hashable, Sendable {
    /// Last reference time of one receiver, and the delay since its arrival.
    package struct Delay: Hashable, Sendable {
        package var receiver: SSRC
        /// `NTPTime.compact` of that receiver's last RRTR; 0 if there was none.
        package var lastReceiverReport: UInt32
        /// Time from its arrival to this report, in units of 2^-16 s.
        package var delaySinceLastReceiverReport: UInt32

        package init(receiver: SSRC, lastReceiverReport: UInt32, delaySinceLastReceiverReport: UInt32) {
            self.receiver = receiver
            self.lastReceiverReport = lastReceiverReport
            self.delaySinceLastReceiverReport = delaySinceLastReceiverReport
        }
    }

    package enum Block: Hashable, Sendable {
        /// RRTR: the sender's wall clock.
        case receiverReferenceTime(NTPTime)
        /// DLRR.
        case delaySinceLastReceiverReport([Delay])
    }

    package var sender: SSRC
    package var blocks: [Block]

    package init(sender: SSRC, blocks: [Block]) {
        self.sender = sender
        self.blocks = blocks
    }

    package init(parsing packet: RTCPPacket) throws(RTPError) {
        let body = try packet.body(of: .xr, atLeast: 4, .rtcpHeader)
        sender = SSRC(body.u32(0))
        blocks = []
        var offset = 4
        while offset < packet.body.count {
            guard offset + 4 <= packet.body.count else { throw .truncated(.extendedReportBlock) }
            let type = body.u8(offset)
            let start = offset + 4
            let end = start + Int(body.u16(offset + 2)) * 4
            guard end <= packet.body.count else { throw .truncated(.extendedReportBlock) }
            switch type {
            case 4:
                guard end - start == 8 else { throw .invalid(.extendedReportBlock) }
                blocks.append(.receiverReferenceTime(NTPTime(rawValue: body.u64(start))))
            case 5:
                guard (end - start) % 12 == 0 else { throw .invalid(.extendedReportBlock) }
                blocks.append(
                    .delaySinceLastReceiverReport(
                        stride(from: start, to: end, by: 12).map {
                            Delay(
                                receiver: SSRC(body.u32($0)), lastReceiverReport: body.u32($0 + 4),
                                delaySinceLastReceiverReport: body.u32($0 + 8))
                        }))
            default: break
            }
            offset = end
        }
    }

    package func write(into bytes: inout [UInt8]) {
        bytes.appendRTCP(.extendedReport, count: 0) { bytes in
            bytes.appendBigEndian(sender.rawValue)
            for block in blocks {
                switch block {
                case .receiverReferenceTime(let time):
                    bytes.appendBigEndian(UInt32(4) << 24 | 2)
                    bytes.appendBigEndian(time.rawValue)
                case .delaySinceLastReceiverReport(let delays):
                    bytes.appendBigEndian(UInt32(5) << 24 | UInt32(truncatingIfNeeded: delays.count * 3) & 0xffff)
                    for delay in delays {
                        bytes.appendBigEndian(delay.receiver.rawValue)
                        bytes.appendBigEndian(delay.lastReceiverReport)
                        bytes.appendBigEndian(delay.delaySinceLastReceiverReport)
                    }
                }
            }
        }
    }
}
