package import MediaBase

/// Goodbye: sources that left (RFC 3550 section 6.6).
///
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |V=2|P|    SC   |   PT=BYE=203  |             length            |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                        SC times SSRC/CSRC                     |
///     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
///     |     length    |               reason for leaving, optional    |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
package struct BYE: Hashable, Sendable {
    /// At most 31 are written.
    package var sources: [SSRC]
    /// At most 255 bytes of UTF-8 are written; when parsing, invalid UTF-8 is replaced.
    package var reason: String?

    package init(sources: [SSRC], reason: String? = nil) {
        self.sources = sources
        self.reason = reason
    }

    package init(parsing packet: RTCPPacket) throws(RTPError) {
        guard packet.kind == .bye else { throw .unexpected(.rtcpPacketType) }
        let body = packet.body
        let end = Int(packet.count) * 4
        guard end <= body.count else { throw .truncated(.byeSources) }
        sources = []
        if let base = body.baseAddress {
            sources.reserveCapacity(Int(packet.count))
            for offset in stride(from: 0, to: end, by: 4) { sources.append(SSRC(base.u32(offset))) }
        }
        guard end < body.count else { return }
        let textEnd = end + 1 + Int(body[end])
        guard textEnd <= body.count else { throw .truncated(.byeReason) }
        reason = String(decoding: body[(end + 1)..<textEnd], as: UTF8.self)
    }

    package func write(into bytes: inout [UInt8]) {
        bytes.appendRTCP(.goodbye, count: min(sources.count, 31)) { bytes in
            for source in sources.prefix(31) { bytes.appendBigEndian(source.rawValue) }
            if let reason {
                let text = reason.utf8.prefix(255)
                bytes.append(UInt8(truncatingIfNeeded: text.count))
                bytes.append(contentsOf: text)
            }
        }
    }
}
