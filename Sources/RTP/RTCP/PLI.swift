package import MediaBase

/// Picture loss indication: the receiver needs a key frame (RFC 4585 section 6.3.1).
///
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |V=2|P|  FMT=1  |  PT=PSFB=206  |          length = 2           |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                     SSRC of packet sender                     |
///     |                     SSRC of media source                      |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
package struct PLI: Hashable, Sendable {
    package var sender: SSRC
    package var media: SSRC

    package init(sender: SSRC, media: SSRC) {
        self.sender = sender
        self.media = media
    }

    package init(parsing packet: RTCPPacket) throws(RTPError) {
        let body = try packet.body(of: .pli, atLeast: 8, .feedbackHeader)
        sender = SSRC(body.u32(0))
        media = SSRC(body.u32(4))
    }

    package func write(into bytes: inout [UInt8]) {
        bytes.appendRTCP(.payloadFeedback, count: Int(RTCPKind.pliFormat)) { bytes in
            bytes.appendBigEndian(sender.rawValue)
            bytes.appendBigEndian(media.rawValue)
        }
    }
}
