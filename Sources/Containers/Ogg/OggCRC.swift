/// Checksum of an Ogg page (RFC 3533 section 6): CRC-32 with polynomial 0x04c11db7, not reflected, initial value 0.
enum OggCRC {
    private static let table: [UInt32] = (0..<256).map { index in
        var value = UInt32(index) << 24
        for _ in 0..<8 { value = value & 0x8000_0000 != 0 ? (value << 1) ^ 0x04c1_1db7 : value << 1 }
        return value
    }

    /// Computes the checksum of a whole page with its checksum field (bytes 22 to 25) taken as zero.
    static func checksum(_ page: UnsafeRawBufferPointer) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            var crc: UInt32 = 0
            for index in 0..<page.count {
                let byte = (22..<26).contains(index) ? 0 : page[index]
                crc = (crc << 8) ^ table[Int(UInt8(truncatingIfNeeded: crc >> 24) ^ byte)]
            }
            return crc
        }
    }
}
