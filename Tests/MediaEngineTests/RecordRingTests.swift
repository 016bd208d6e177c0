import MediaBase
import MillraceTestKit
import Testing

@testable import MediaEngine

@Suite("Ring of records between two threads", .timeLimit(.minutes(2)))
struct RecordRingTests {
    /// A ring that two threads share.
    private final class Shared: Sendable {
        private let ring: RecordRing
        init(capacity: Int = 0) { ring = RecordRing(capacity: capacity) }

        /// Appends a record whose header and bytes follow from its number.
        func append(_ number: Int64, count: Int) -> Bool {
            let byte = UInt8(truncatingIfNeeded: number)
            return [UInt8](repeating: byte, count: count).withUnsafeBytes {
                ring.append(Header(small: byte, number), $0)
            }
        }

        /// Returns the number and length of the next record; the number is -1 if its parts are not those of one record.
        func next() -> (number: Int64, count: Int)? {
            ring.next(Header.self) { header, bytes in
                let byte = UInt8(truncatingIfNeeded: header.number)
                let isWhole =
                    header.small == byte
                    && (bytes.isEmpty || bytes[0] == byte && bytes[bytes.count / 2] == byte && bytes.last == byte)
                return (isWhole ? header.number : -1, bytes.count)
            }
        }

        func appendByte(_ value: UInt8) -> Bool { ring.append(value, UnsafeRawBufferPointer(start: nil, count: 0)) }
        func nextByte() -> UInt8? { ring.next(UInt8.self) { value, bytes in bytes.isEmpty ? value : nil } ?? nil }

        func flush() { ring.flush() }
        func close() { ring.close() }
        func wait(timeout: MediaTime) -> Bool { ring.wait(timeout: timeout) }
        var isEmpty: Bool { ring.isEmpty }
        var isClosed: Bool { ring.isClosed }
        var dropped: UInt64 { ring.dropped }
    }

    private struct Header: BitwiseCopyable {
        let small: UInt8
        let number: Int64

        init(small: UInt8, _ number: Int64) {
            self.small = small
            self.number = number
        }
    }

    /// Bytes of a record before its payload: 8 of the ring and 16 of `Header`.
    private static let overhead = 24

    @Test("Records of every length come out as they went in, over many wraps", arguments: [UInt64(1), 2, 3])
    func wraps(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let ring = Shared()
        var inside: [(number: Int64, count: Int)] = []
        var number: Int64 = 0
        var dropped: UInt64 = 0
        for _ in 0..<6000 {
            if random.below(5) < 3 {
                let count = random.below(4) == 0 ? random.below(9) : random.below(4000)
                if ring.append(number, count: count) {
                    inside.append((number, count))
                    number += 1
                } else {
                    dropped += 1
                }
            } else {
                let got = ring.next()
                let expected = inside.isEmpty ? nil : inside.removeFirst()
                #expect(got?.number == expected?.number && got?.count == expected?.count)
            }
            #expect(ring.isEmpty == inside.isEmpty && ring.dropped == dropped)
        }
        for expected in inside {
            let got = ring.next()
            #expect(got?.number == expected.number && got?.count == expected.count)
        }
        #expect(ring.next() == nil && number > 1000 && dropped > 0)
    }

    @Test("Records that fill the memory exactly need no filler")
    func exactFit() {
        let ring = Shared()
        for round in 0..<Int64(5) {
            for i in 0..<Int64(64) { #expect(ring.append(round * 64 + i, count: 1024 - Self.overhead)) }
            #expect(!ring.append(0, count: 0) && ring.dropped == UInt64(round + 1))
            for i in 0..<Int64(64) { #expect(ring.next()?.number == round * 64 + i) }
            #expect(ring.isEmpty)
        }
    }

    @Test("An empty ring takes a record of half its memory at every position, and never one that is larger than it")
    func large() {
        let ring = Shared()
        let half = RecordRing.minimumCapacity / 2 - Self.overhead
        for position in 0..<Int64(200) {
            #expect(ring.append(position, count: Int(position) * 1637 % 3000) && ring.next() != nil)
            #expect(ring.append(-2, count: half) && ring.next()?.number == -2)
            #expect(!ring.append(0, count: RecordRing.minimumCapacity) && ring.isEmpty)
        }
        #expect(ring.dropped == 200)
    }

    @Test("A full ring drops and counts; after a read it takes records again")
    func full() {
        let ring = Shared()
        var taken: Int64 = 0
        while ring.append(taken, count: 1000) { taken += 1 }
        #expect(taken == Int64(RecordRing.minimumCapacity / (1000 + Self.overhead)) && ring.dropped == 1)
        #expect(ring.next()?.number == 0)
        #expect(ring.append(taken, count: 900) && ring.dropped == 1)
        for number in 1...taken { #expect(ring.next()?.number == number) }
        #expect(ring.next() == nil)
    }

    @Test("A ring that is closed while it is full is read to its end")
    func closedWhileFull() {
        let ring = Shared()
        var taken: Int64 = 0
        while ring.append(taken, count: 1000) { taken += 1 }
        ring.close()
        #expect(ring.isClosed)
        for number in 0..<taken {
            #expect(ring.wait(timeout: .zero) && ring.next()?.number == number)
        }
        #expect(!ring.wait(timeout: .never) && ring.next() == nil)
        ring.close()
        #expect(!ring.wait(timeout: .never))
    }

    @Test("A header of one byte needs no payload")
    func smallHeaders() {
        let ring = Shared()
        for value in UInt8(0)...255 { #expect(ring.appendByte(value)) }
        for value in UInt8(0)...255 { #expect(ring.nextByte() == value) }
        #expect(ring.nextByte() == nil)
    }

    @Test("An excessive capacity is limited")
    func hugeCapacity() {
        // The kernel does not commit memory before it is touched.
        let ring = Shared(capacity: .max)
        #expect(ring.append(1, count: 100) && ring.next()?.number == 1)
    }

    @Test("A reader without a timeout is woken by a record of another thread, and by closing")
    func wakes() {
        let ring = Shared()
        let writer = TestThread {
            for number in Int64(0)..<500 {
                // The reader takes each record before the next one, and then sleeps or is about to.
                _ = ring.append(number, count: 10)
                ring.flush()
                while !ring.isEmpty {}
            }
            ring.close()
        }
        var got: [Int64] = []
        while ring.wait(timeout: .never) {
            while let record = ring.next() { got.append(record.number) }
        }
        writer.join()
        #expect(got == Array(0..<500))
    }

    @Test(
        "One writer and one reader at full speed: no torn record, none out of order, every drop counted",
        arguments: [10, 400, 1400])
    func threads(_ size: Int) {
        let ring = Shared()
        let total: Int64 = 30_000
        let writer = TestThread {
            for number in 0..<total {
                _ = ring.append(number, count: size)
                if number % 16 == 15 { ring.flush() }
            }
            ring.close()
        }
        var last: Int64 = -1
        var count: Int64 = 0
        var faults = 0
        while ring.wait(timeout: .seconds(20)) {
            while let record = ring.next() {
                if record.count != size || record.number <= last { faults += 1 }
                last = max(last, record.number)
                count += 1
            }
        }
        writer.join()
        #expect(faults == 0)
        #expect(count + Int64(ring.dropped) == total)
    }
}
