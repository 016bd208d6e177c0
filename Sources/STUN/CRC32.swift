/// CRC-32 of ITU-T V.42 section 8.1.1.6.2, used by FINGERPRINT (RFC 5389 section 15.5).
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
    }

    static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        ~table.withUnsafeBufferPointer { table in
            bytes.reduce(0xffff_ffff as UInt32) { crc, byte in
                table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8
            }
        }
    }
}
