/// Reads an input as a list of operations and runs them. One operation repeats earlier ones up to 32,768 times, so that a short input makes
/// a long history: overflows of sums that grow over hours need many thousand packets.
struct FuzzHistory {
    /// First byte of the operation that repeats; it is followed by the number of operations and the exponent of the number of repetitions.
    static let repetition: UInt8 = 0xff
    /// Operations that one input runs at most.
    let limit: Int

    /// Calls `step` for each operation, which reads at least one byte of the input.
    func run(
        _ bytes: UnsafeRawBufferPointer, _ step: (_ code: UInt8, _ input: inout FuzzInput) throws(FuzzViolation) -> Void
    ) throws(FuzzViolation) {
        var input = FuzzInput(bytes)
        var starts: [Int] = []
        var left = limit
        while !input.isEmpty, left > 0 {
            let start = input.offset
            let code = input.u8()
            left -= 1
            guard code == Self.repetition else {
                try step(code, &input)
                starts.append(start)
                continue
            }
            let count = Int(input.u8()) + 1
            let times = 1 << Int(input.u8() & 15)
            guard !starts.isEmpty else { continue }
            let first = starts[max(0, starts.count - count)]
            for _ in 0..<times where left > 0 {
                var part = input.part(first..<start)
                while !part.isEmpty, left > 0 {
                    let code = part.u8()
                    left -= 1
                    if code == Self.repetition { _ = part.u16() } else { try step(code, &part) }
                }
            }
        }
    }
}
