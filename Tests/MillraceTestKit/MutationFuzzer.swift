import Glibc

/// Feeds a parser with damaged inputs, the same ones on each run. The input ends at an inaccessible page, so reading even one byte too far
/// crashes the test.
package final class MutationFuzzer {
    private var random: SeededGenerator
    private let corpus: [[UInt8]]
    private let mapping: UnsafeMutableRawPointer
    private let capacity: Int
    private static let page = 4_096

    /// - Parameters:
    ///   - corpus: valid inputs to start from.
    ///   - capacity: bytes of an input at most.
    /// - Precondition: `corpus` is not empty and the machine can map some pages.
    package init(corpus: [[UInt8]], seed: UInt64, capacity: Int = 2_048) {
        precondition(!corpus.isEmpty && corpus.allSatisfy { $0.count <= capacity })
        random = SeededGenerator(seed: seed)
        self.corpus = corpus
        self.capacity = (capacity + Self.page - 1) / Self.page * Self.page
        let length = self.capacity + Self.page
        let address = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let address, address != MAP_FAILED, mprotect(address + self.capacity, Self.page, PROT_NONE) == 0 else {
            preconditionFailure("no memory for the fuzzer")
        }
        mapping = address
    }

    deinit { munmap(mapping, capacity + Self.page) }

    /// Calls `body` with `count` inputs.
    package func run(count: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
        for _ in 0..<count { body(UnsafeRawBufferPointer(nextInput())) }
    }

    /// Returns one input: an entry of the corpus, cut, extended or spliced with another, with one to four bytes changed.
    private func nextInput() -> UnsafeMutableRawBufferPointer {
        let choice = random.next()
        let source = corpus[random.below(corpus.count)]
        var length = source.count
        switch choice & 7 {
        case 0: length = random.below(length + 1)
        case 1: length = min(capacity, length + random.below(24))
        default: break
        }
        let input = UnsafeMutableRawBufferPointer(start: mapping + capacity - length, count: length)
        source.withUnsafeBytes {
            input.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<min($0.count, length)]))
        }
        for index in min(source.count, length)..<length { input[index] = UInt8(truncatingIfNeeded: random.next()) }
        guard length > 0 else { return input }
        if choice & 0x38 == 0 {
            let other = corpus[random.below(corpus.count)]
            let offset = random.below(length)
            let taken = min(other.count, length - offset)
            other.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: input[offset...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<taken]))
            }
        }
        for _ in 0...Int((choice >> 6) & 3) {
            let change = random.next()
            // Headers are short and most important, so half of the changes are made there.
            let offset = random.below(change & 1 == 0 ? min(length, 24) : length)
            let value = UInt8(truncatingIfNeeded: change >> 8)
            switch (change >> 1) & 3 {
            case 0: input[offset] ^= 1 << (value & 7)
            case 1: input[offset] = value
            case 2: input[offset] = value & 1 == 0 ? 0x00 : value & 2 == 0 ? 0xff : value & 4 == 0 ? 0x7f : 0x80
            default: input[offset] = input[offset] &+ (value & 1 == 0 ? 1 : 0xff)
            }
        }
        return input
    }
}
