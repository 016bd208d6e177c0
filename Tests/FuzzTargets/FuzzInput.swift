/// Numbers and byte ranges taken from the front of a fuzzer's input. After the end every number is 0.
struct FuzzInput {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isEmpty: Bool { offset >= bytes.count }
    var remaining: Int { bytes.count - offset }

    mutating func u8() -> UInt8 {
        guard offset < bytes.count else { return 0 }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func u16() -> UInt16 { UInt16(u8()) << 8 | UInt16(u8()) }
    mutating func u32() -> UInt32 { UInt32(u16()) << 16 | UInt32(u16()) }
    mutating func u64() -> UInt64 { UInt64(u32()) << 32 | UInt64(u32()) }
    mutating func i8() -> Int8 { Int8(bitPattern: u8()) }
    mutating func i16() -> Int16 { Int16(bitPattern: u16()) }
    mutating func i32() -> Int32 { Int32(bitPattern: u32()) }

    /// A whole number in 0..<`count`.
    mutating func below(_ count: Int) -> Int { Int(u8()) % max(count, 1) }

    /// Returns the next `count` bytes, or as many as there are.
    mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
        let end = min(bytes.count, offset + max(0, count))
        defer { offset = end }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
    }

    mutating func rest() -> UnsafeRawBufferPointer { take(remaining) }

    /// Returns the bytes of a part of the input that was read before.
    func part(_ range: Range<Int>) -> FuzzInput { FuzzInput(UnsafeRawBufferPointer(rebasing: bytes[range])) }
}
