package import MediaBase

/// Source description: names and other attributes of sources (RFC 3550 section 6.5).
///
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |V=2|P|    SC   |  PT=SDES=202  |             length            |
///     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
///     |                          SSRC/CSRC                            |   a chunk; SC of them
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |   item type   |    length     | UTF-8 text ...                |   items, ended by a zero byte and
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+   zeros up to the next 32 bits
package struct SDES: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        /// 1 CNAME, 2 NAME, 3 EMAIL, 4 PHONE, 5 LOC, 6 TOOL, 7 NOTE, 8 PRIV; 15 MID (RFC 9143); never 0.
        package var type: UInt8
        /// UTF-8; at most 255 bytes are written.
        package var value: [UInt8]

        package init(type: UInt8, value: [UInt8]) {
            self.type = type
            self.value = value
        }
        /// The value as text; invalid UTF-8 is replaced.
        package var text: String { String(decoding: value, as: UTF8.self) }
        package static let cname: UInt8 = 1
    }

    package struct Chunk: Hashable, Sendable {
        package var source: SSRC
        package var items: [Item]

        package init(source: SSRC, items: [Item]) {
            self.source = source
            self.items = items
        }
        package init(source: SSRC, cname: String) {
            self.init(source: source, items: [Item(type: Item.cname, value: Array(cname.utf8))])
        }
        /// Canonical name, which identifies the sources of one sender (section 6.5.1).
        package var cname: String? { items.first { $0.type == Item.cname }?.text }
    }

    /// At most 31 are written.
    package var chunks: [Chunk]

    package init(chunks: [Chunk]) { self.chunks = chunks }

    package init(parsing packet: RTCPPacket) throws(RTPError) {
        guard packet.kind == .sdes else { throw .unexpected(.rtcpPacketType) }
        chunks = []
        let body = packet.body
        var offset = 0
        for _ in 0..<packet.count {
            guard offset + 4 <= body.count, let base = body.baseAddress else { throw .truncated(.sdesChunk) }
            var chunk = Chunk(source: SSRC(base.u32(offset)), items: [])
            offset += 4
            while true {
                guard offset < body.count else { throw .truncated(.sdesChunk) }
                let type = base.u8(offset)
                if type == 0 { break }
                guard offset + 2 <= body.count else { throw .truncated(.sdesItem) }
                let end = offset + 2 + Int(base.u8(offset + 1))
                guard end <= body.count else { throw .truncated(.sdesItem) }
                chunk.items.append(Item(type: type, value: Array(body[(offset + 2)..<end])))
                offset = end
            }
            // At least one zero byte, then up to a multiple of 4.
            offset = (offset + 4) & ~3
            guard offset <= body.count else { throw .truncated(.sdesChunk) }
            chunks.append(chunk)
        }
    }

    package func write(into bytes: inout [UInt8]) {
        bytes.appendRTCP(.sourceDescription, count: min(chunks.count, 31)) { bytes in
            for chunk in chunks.prefix(31) {
                bytes.appendBigEndian(chunk.source.rawValue)
                var length = 0
                for item in chunk.items where item.type != 0 {
                    let value = item.value.prefix(255)
                    bytes.append(item.type)
                    bytes.append(UInt8(truncatingIfNeeded: value.count))
                    bytes.append(contentsOf: value)
                    length += 2 + value.count
                }
                repeat {
                    bytes.append(0)
                    length += 1
                } while length & 3 != 0
            }
        }
    }
}
