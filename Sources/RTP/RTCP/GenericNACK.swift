package import MediaBase

/// Packets that a receiver is missing (RFC 4585 section 6.2.1).
///
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |V=2|P|  FMT=1  |  PT=RTPFB=205 |             length            |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                     SSRC of packet sender                     |
///     |                     SSRC of media source                      |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |            PID                |             BLP               |   one or more
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///
/// Bit i of BLP, counted from the least significant, stands for packet PID + i + 1.
package struct GenericNACK: Hashable, Sendable {
    package var sender: SSRC
    package var media: SSRC
    /// In the order of the packet. Ascending order takes the least space when written.
    package var sequences: [SequenceNumber]

    package init(sender: SSRC, media: SSRC, sequences: [SequenceNumber]) {
        self.sender = sender
        self.media = media
        self.sequences = sequences
    }

    package init(parsing packet: RTCPPacket) throws(RTPError) {
        let body = try packet.body(of: .genericNACK, atLeast: 12, .feedbackControl)
        sender = SSRC(body.u32(0))
        media = SSRC(body.u32(4))
        sequences = []
        for offset in stride(from: 8, through: packet.body.count - 4, by: 4) {
            let first = body.u16(offset)
            var mask = body.u16(offset + 2)
            sequences.append(SequenceNumber(first))
            while mask != 0 {
                let bit = mask.trailingZeroBitCount
                sequences.append(SequenceNumber(first &+ UInt16(truncatingIfNeeded: bit + 1)))
                mask &= mask &- 1
            }
        }
    }

    /// Writes nothing if there are no sequence numbers.
    package func write(into bytes: inout [UInt8]) {
        guard let start = sequences.first?.rawValue else { return }
        bytes.appendRTCP(.transportFeedback, count: Int(RTCPKind.genericNACKFormat)) { bytes in
            bytes.appendBigEndian(sender.rawValue)
            bytes.appendBigEndian(media.rawValue)
            var first = start
            var mask: UInt16 = 0
            for sequence in sequences.dropFirst() {
                let step = sequence.rawValue &- first
                if step == 0 { continue }
                if step <= 16 {
                    mask |= 1 << (step - 1)
                } else {
                    bytes.appendBigEndian(first)
                    bytes.appendBigEndian(mask)
                    first = sequence.rawValue
                    mask = 0
                }
            }
            bytes.appendBigEndian(first)
            bytes.appendBigEndian(mask)
        }
    }
}
