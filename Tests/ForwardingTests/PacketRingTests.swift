import Forwarding
import MediaBase
import MillraceTestKit
import Testing

@Suite("Packet ring")
struct PacketRingTests {
    private static let bytes = 128 << 10

    private static func payload(_ sequence: Int64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: Int(sequence) &* 31 &+ $0) }
    }

    private func store(_ ring: inout PacketRing, _ sequence: Int64, _ count: Int) {
        Self.payload(sequence, count).withUnsafeBytes { _ = ring.store(sequence: sequence, payload: $0) }
    }

    // The macros cannot capture noncopyable values.
    private func expectNone(_ ring: borrowing PacketRing, _ sequence: Int64, _ line: SourceLocation = #_sourceLocation)
    {
        let slot = ring.find(sequence)
        #expect(slot == nil, sourceLocation: line)
    }

    private func expect(
        _ ring: borrowing PacketRing, _ sequence: Int64, _ payload: [UInt8], _ line: SourceLocation = #_sourceLocation
    ) {
        let found = contents(ring, sequence)
        #expect(found == payload, sourceLocation: line)
    }

    private func contents(_ ring: borrowing PacketRing, _ sequence: Int64) -> [UInt8]? {
        guard let slot = ring.find(sequence) else { return nil }
        return Array(UnsafeBufferPointer(start: ring.payload(of: slot.pointee), count: Int(slot.pointee.payloadLength)))
    }

    private func fill(_ ring: inout PacketRing, _ payloads: [[UInt8]], _ range: Range<Int>) {
        for number in range {
            payloads[number].withUnsafeBytes { _ = ring.store(sequence: Int64(number), payload: $0) }
        }
    }

    /// Returns the numbers of the packets that are found; -1 for one whose payload differs.
    private func numbers(_ ring: borrowing PacketRing, _ payloads: [[UInt8]]) -> [Int] {
        var found: [Int] = []
        for (number, payload) in payloads.enumerated() {
            guard let held = contents(ring, Int64(number)) else { continue }
            found.append(held == payload ? number : -1)
        }
        return found
    }

    @Test(
        "An empty ring finds no number",
        arguments: [Int64(-65_536), -256, -1, 0, 1, 255, 65_535, .max])
    func empty(_ sequence: Int64) {
        let ring = PacketRing(slots: 256, bytes: Self.bytes)
        expectNone(ring, sequence)
    }

    @Test("A stored packet is found only by its number")
    func findsWhatIsStored() {
        var ring = PacketRing(slots: 256, bytes: Self.bytes)
        store(&ring, 65_535, 100)
        store(&ring, 65_536, 0)
        expect(ring, 65_535, Self.payload(65_535, 100))
        expect(ring, 65_536, [])
        for other: Int64 in [65_534, 65_537, 65_535 + 256, 65_535 - 256, -1] { expectNone(ring, other) }
    }

    @Test("Numbers below the first packet's are found as well", arguments: [Int64(-1), -2, -255, -256])
    func negative(_ sequence: Int64) {
        var ring = PacketRing(slots: 256, bytes: Self.bytes)
        store(&ring, 0, 10)
        expectNone(ring, sequence)
        store(&ring, sequence, 20)
        expect(ring, sequence, Self.payload(sequence, 20))
    }

    @Test("A packet takes the slot of the packet one ring length before it")
    func slotsWrap() {
        var ring = PacketRing(slots: 256, bytes: Self.bytes)
        for sequence in Int64(0)..<300 { store(&ring, sequence, 10) }
        for sequence in Int64(0)..<44 { expectNone(ring, sequence) }
        for sequence in Int64(44)..<300 { expect(ring, sequence, Self.payload(sequence, 10)) }
    }

    @Test(
        "The arena wraps: overwritten packets are not found, found packets are intact", arguments: [UInt64(1), 2, 3, 4])
    func arenaWraps(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var ring = PacketRing(slots: 2048, bytes: Self.bytes)
        var lengths: [Int] = []
        for sequence in Int64(0)..<3000 {
            let length = random.below(5) == 0 ? random.below(2048) : 900 + random.below(300)
            lengths.append(length)
            store(&ring, sequence, length)
            guard sequence % 400 == 0 else { continue }
            var heldBytes = 0
            for earlier in max(0, sequence - 2047)...sequence {
                guard let held = contents(ring, earlier) else { continue }
                #expect(held == Self.payload(earlier, lengths[Int(earlier)]), "packet \(earlier) at \(sequence)")
                heldBytes += held.count
            }
            #expect(heldBytes <= Self.bytes)
            // Everything except rounding and the arena's end is in use.
            if sequence > 500 { #expect(heldBytes > Self.bytes * 9 / 10) }
        }
    }

    @Test("A packet that fills the arena exactly is found until the next one is stored")
    func exactTurn() {
        var ring = PacketRing(slots: 256, bytes: Self.bytes)
        // 992 + 32 bytes are 1,024 of the arena: 128 of them fill it.
        for sequence in Int64(0)..<128 { store(&ring, sequence, 992) }
        expect(ring, 0, Self.payload(0, 992))
        store(&ring, 128, 1)
        expectNone(ring, 0)
        expect(ring, 1, Self.payload(1, 992))
    }

    @Test("Growth keeps what is stored, in whatever round the arena is", arguments: [1, 109, 110, 150, 300])
    func growth(_ before: Int) {
        let payloads = (0..<before + 500).map { Self.payload(Int64($0), 1_154) }
        var ring = PacketRing(slots: 2048, bytes: Self.bytes, maximumBytes: 4 * Self.bytes)
        fill(&ring, payloads, 0..<before)
        let held = numbers(ring, payloads)
        #expect(held == Array(max(0, before - 109)..<before))
        // The third time the maximum is reached already.
        for size in [2, 4, 4] {
            ring.grow()
            let (bytes, kept) = (ring.arenaBytes, numbers(ring, payloads))
            #expect(bytes == size * Self.bytes && kept == held)
        }
        fill(&ring, payloads, before..<before + 500)
        let kept = numbers(ring, payloads)
        #expect(kept == Array(before + 500 - kept.count..<before + 500) && kept.count > 4 * 109 * 9 / 10)
    }

    @Test(
        "The arena follows the bit rate: it holds 20 s, and at most four times that",
        arguments: [50, 100, 200, 500, 1_000, 2_000] as [Int64])
    func rate(kilobits: Int64) {
        var ring = PacketRing(slots: 2048, bytes: 256 << 10, maximumBytes: 4 << 20)
        let payload = [UInt8](repeating: 0, count: 1_000)
        var growths = 0
        // 1,000 bytes are 8 kilobits. Frames leave at 30 per second, so that packets come in bursts.
        for sequence in 0..<kilobits * 100 / 8 {
            if ring.needsRoom {
                ring.grow()
                growths += 1
            }
            payload.withUnsafeBytes { _ = ring.store(sequence: sequence, payload: $0) }
            ring.measure(now: .milliseconds(sequence * 8_000 / kilobits / 33 * 33))
        }
        let window = Int(kilobits) * 1_000 / 8 * 20
        let bytes = ring.arenaBytes
        #expect(bytes >= min(window, 4 << 20) && bytes <= max(256 << 10, 4 * window))
        #expect(growths <= 4)
    }

    @Test("Padding lengthens a packet by up to 32 bytes, the last of which holds the count", arguments: [1, 2, 31, 32])
    func pads(_ more: Int) {
        var ring = PacketRing(slots: 256, bytes: Self.bytes)
        store(&ring, 6, 50)
        store(&ring, 7, 100)
        store(&ring, 8, 60)
        let slot = ring.find(7)!
        ring.pad(slot, to: 100 + more)
        #expect(slot.pointee.paddingLength == more)
        expect(ring, 7, Self.payload(7, 100) + [UInt8](repeating: 0, count: more - 1) + [UInt8(more)])
        expect(ring, 6, Self.payload(6, 50))
        expect(ring, 8, Self.payload(8, 60))
    }

    @Test("Padding that does not fit, shortens or is applied twice changes nothing", arguments: [100, 99, 133])
    func refusesToPad(_ length: Int) {
        var ring = PacketRing(slots: 256, bytes: Self.bytes)
        store(&ring, 7, 100)
        let slot = ring.find(7)!
        ring.pad(slot, to: length)
        expect(ring, 7, Self.payload(7, 100))
        #expect(slot.pointee.paddingLength == 0)
        ring.pad(slot, to: 110)
        ring.pad(slot, to: 112)
        #expect(slot.pointee.paddingLength == 10)
        #expect(slot.pointee.payloadLength == 110)
    }
}
