import Testing

@testable import MillraceFuzzTargets

@Suite("Histories of operations") struct FuzzHistoryTests {
    /// Returns the operations that an input runs, each one byte and a parameter of one byte.
    private func run(_ bytes: [UInt8], limit: Int) throws -> [UInt8] {
        var codes: [UInt8] = []
        try bytes.withUnsafeBytes { bytes in
            try FuzzHistory(limit: limit).run(bytes) { code, input throws(FuzzViolation) in
                codes.append(code)
                _ = input.u8()
            }
        }
        return codes
    }

    @Test("A repetition runs the operations before it again") func repetition() throws {
        #expect(try run([1, 0, 2, 0, 3, 0, 0xff, 1, 1, 4], limit: 100) == [1, 2, 3, 2, 3, 2, 3, 4])
        #expect(try run([0xff, 9, 9, 5], limit: 100) == [5])
    }

    @Test("A repetition of repetitions ends at the limit") func limit() throws {
        let codes = try run([1, 0] + Array(repeatElement([0xff, 0xff, 15], count: 20).joined()), limit: 1_000)
        #expect(codes.count <= 1_000 && codes.count > 900)
    }

    @Test("An error ends the run") func error() {
        #expect(throws: FuzzViolation("two")) {
            try ([1, 2, 3] as [UInt8]).withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
                try FuzzHistory(limit: 9).run(bytes) { code, _ throws(FuzzViolation) in
                    try require(code != 2, "two")
                }
            }
        }
    }
}
