/// One page of an Ogg stream (RFC 3533 section 6).
struct OggPage {
    static let maximumByteCount = 27 + 255 + 255 * 255

    var isContinued = false
    var isFirst = false
    var isLast = false
    /// Granule position of the last packet that ends on this page; -1 if none does.
    var granule: Int64 = -1
    var serial: UInt32 = 0
    var sequence: UInt32 = 0
    var segments: [UInt8] = []
    var body: [UInt8] = []
    var position: Int64 = 0

    var bytes: [UInt8] {
        var out = Array("OggS".utf8)
        out.reserveCapacity(27 + segments.count + body.count)
        out.append(0)
        out.append((isContinued ? 1 : 0) | (isFirst ? 2 : 0) | (isLast ? 4 : 0))
        out.appendLittleEndian(granule)
        out.appendLittleEndian(serial)
        out.appendLittleEndian(sequence)
        out.appendLittleEndian(UInt32(0))
        out.append(UInt8(segments.count))
        out.append(contentsOf: segments)
        out.append(contentsOf: body)
        let crc = out.withUnsafeBytes { OggCRC.checksum($0) }
        for index in 0..<4 { out[22 + index] = UInt8(truncatingIfNeeded: crc >> UInt32(8 * index)) }
        return out
    }

    /// Result of parsing the start of a window.
    enum Parse {
        case page(OggPage, byteCount: Int)
        case needsMore
        case malformed(String)
    }

    static func parse(_ window: UnsafeRawBufferPointer, at position: Int64) -> Parse {
        guard window.count >= 27 else { return .needsMore }
        guard window.prefix(4).elementsEqual("OggS".utf8) else { return .malformed("no capture pattern") }
        guard window[4] == 0 else { return .malformed("stream structure version \(window[4])") }
        let segmentCount = Int(window[26])
        guard window.count >= 27 + segmentCount else { return .needsMore }
        let table = window[27..<27 + segmentCount]
        let bodyCount = table.reduce(0) { $0 + Int($1) }
        let total = 27 + segmentCount + bodyCount
        guard window.count >= total else { return .needsMore }
        let claimed = window.littleEndian(UInt32.self, at: 22)
        guard OggCRC.checksum(UnsafeRawBufferPointer(rebasing: window[0..<total])) == claimed else {
            return .malformed("checksum")
        }
        var page = OggPage()
        page.isContinued = window[5] & 1 != 0
        page.isFirst = window[5] & 2 != 0
        page.isLast = window[5] & 4 != 0
        page.granule = Int64(bitPattern: window.littleEndian(UInt64.self, at: 6))
        page.serial = window.littleEndian(UInt32.self, at: 14)
        page.sequence = window.littleEndian(UInt32.self, at: 18)
        page.segments = Array(table)
        page.body = Array(window[27 + segmentCount..<total])
        page.position = position
        return .page(page, byteCount: total)
    }
}
