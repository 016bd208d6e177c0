import MediaBase
import RTP
import Testing

@Suite("Redundant audio (RFC 2198 section 3)")
struct REDPayloadTests {
    static func parse(_ bytes: [UInt8]) throws -> REDPayload {
        try bytes.withUnsafeBytes { try REDPayload(parsing: $0) }
    }

    /// Returns the header of a redundant block.
    static func block(_ payloadType: UInt8, offset: UInt16 = 960, length: UInt16) -> [UInt8] {
        [
            0x80 | payloadType, UInt8(truncatingIfNeeded: offset >> 6), UInt8(offset & 0x3f) << 2 | UInt8(length >> 8),
            UInt8(truncatingIfNeeded: length),
        ]
    }

    @Test func onePacketOfABrowser() throws {
        // One redundant block of 3 bytes, 960 ticks before the primary block of 4 bytes.
        let payload: [UInt8] = [0xef, 0x0f, 0x00, 0x03, 0x6f, 1, 2, 3, 4, 5, 6, 7]
        #expect(Array(payload[..<4]) == Self.block(111, length: 3))
        let red = try Self.parse(payload)
        #expect(red.payloadType == PayloadType(111) && red.redundantBlocks == 1 && red.primaryOffset == 8)
    }

    @Test("Blocks of any number up to 16, and lengths with all ten bits", arguments: 0...16)
    func blocks(count: Int) throws {
        var head: [UInt8] = []
        var data = 0
        for number in 0..<count {
            let length = number == 0 ? 1_023 : number % 3
            head += Self.block(111, offset: 16_383, length: UInt16(length))
            data += length
        }
        head.append(111)
        let red = try Self.parse(head + [UInt8](repeating: 9, count: data + 1))
        #expect(red.redundantBlocks == count && red.primaryOffset == head.count + data)
        #expect(throws: RTPError.truncated(.redBlock)) {
            try Self.parse(head + [UInt8](repeating: 9, count: data))
        }
    }

    @Test func malformed() {
        #expect(throws: RTPError.truncated(.redHeader)) { try Self.parse([]) }
        for length in 1..<4 {
            #expect(throws: RTPError.truncated(.redHeader)) {
                try Self.parse(Array(Self.block(111, length: 0).prefix(length)))
            }
        }
        #expect(throws: RTPError.truncated(.redHeader)) { try Self.parse(Self.block(111, length: 0)) }
        #expect(throws: RTPError.truncated(.redBlock)) { try Self.parse([111]) }
        #expect(throws: RTPError.truncated(.redBlock)) { try Self.parse(Self.block(111, length: 2) + [111, 1]) }
        var many: [UInt8] = []
        for _ in 0..<17 { many += Self.block(111, length: 0) }
        many += [111, 1]
        #expect(throws: RTPError.invalid(.redHeader)) { try Self.parse(many) }
    }
}
