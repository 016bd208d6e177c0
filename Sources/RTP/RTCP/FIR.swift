package import MediaBase

/// Full intra request: asks media senders for a key frame (RFC 5104 section 4.3.1).
///
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |V=2|P|  FMT=4  |  PT=PSFB=206  |             length            |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                     SSRC of packet sender                     |
///     |                     SSRC of media source, unused: 0           |
///     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
///     |                              SSRC                             |   one or more
///     | Seq nr.       |    Reserved                                   |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
package struct FIR: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// Media sender that the request addresses.
        package var source: SSRC
        /// Number of the request; a repeated number is the same request.
        package var sequence: UInt8

        package init(source: SSRC, sequence: UInt8) {
            self.source = source
            self.sequence = sequence
        }
    }

    package var sender: SSRC
    package var entries: [Entry]

    package init(sender: SSRC, entries: [Entry]) {
        self.sender = sender
        self.entries = entries
    }

    package init(parsing packet: RTCPPacket) throws(RTPError) {
        let body = try packet.body(of: .fir, atLeast: 16, .feedbackControl)
        sender = SSRC(body.u32(0))
        entries = []
        for offset in stride(from: 8, through: packet.body.count - 8, by: 8) {
            entries.append(Entry(source: SSRC(body.u32(offset)), sequence: body.u8(offset + 4)))
        }
    }

    /// Writes nothing if there are no entries.
    package func write(into bytes: inout [UInt8]) {
        guard !entries.isEmpty else { return }
        bytes.appendRTCP(.payloadFeedback, count: Int(RTCPKind.firFormat)) { bytes in
            bytes.appendBigEndian(sender.rawValue)
            bytes.appendBigEndian(UInt32(0))
            for entry in entries {
                bytes.appendBigEndian(entry.source.rawValue)
                bytes.appendBigEndian(UInt32(entry.sequence) << 24)
            }
        }
    }
}
