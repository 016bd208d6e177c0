package import MediaBase

/// Packet of an application (RFC 3550 section 6.7). The data is read as words.
///
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |V=2|P| subtype |   PT=APP=204  |             length            |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                     SSRC of packet sender                     |
///     |                          name (ASCII)                         |
///     |                  application-dependent data ...               |
package struct APP: Hashable, Sendable {
    package var sender: SSRC
    /// Kind of packet within the application: 0...31.
    package var subtype: UInt8
    /// Four ASCII characters that name the application.
    package var name: UInt32
    package var words: [UInt32]

    package init(sender: SSRC, subtype: UInt8, name: UInt32, words: [UInt32]) {
        self.sender = sender
        self.subtype = subtype
        self.name = name
        self.words = words
    }

    package init(parsing packet: RTCPPacket) throws(RTPError) {
        guard packet.type == .application else { throw .unexpected(.rtcpPacketType) }
        guard packet.body.count >= 8, packet.body.count & 3 == 0, let base = packet.body.baseAddress else {
            throw .truncated(.applicationData)
        }
        sender = SSRC(base.u32(0))
        subtype = packet.count
        name = base.u32(4)
        words = stride(from: 8, to: packet.body.count, by: 4).map { base.u32($0) }
    }

    package func write(into bytes: inout [UInt8]) {
        bytes.appendRTCP(.application, count: Int(subtype)) { bytes in
            bytes.appendBigEndian(sender.rawValue)
            bytes.appendBigEndian(name)
            for word in words { bytes.appendBigEndian(word) }
        }
    }
}
