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
        // 1,008 + 16 bytes are 1,024 of the arena: 128 of them fill it.
        for sequence in Int64(0)..<128 { store(&ring, sequence, 1008) }
        expect(ring, 0, Self.payload(0, 1008))
        store(&ring, 128, 1)
        expectNone(ring, 0)
        expect(ring, 1, Self.payload(1, 1008))
    }

    @Test(
        "Growth keeps what is stored, in whatever round the arena is",
        arguments: [1, 60, 109, 110, 111, 150, 218, 219, 300, 900])
    func growth(_ before: Int64) {
        var ring = PacketRing(slots: 2048, bytes: Self.bytes, maximumBytes: 4 * Self.bytes)
        for sequence in 0..<before { store(&ring, sequence, 1_170) }
        for size in [2, 4] {
            let held = (0..<before).filter { ring.find($0) != nil }
            ring.grow()
            #expect(ring.arenaBytes == size * Self.bytes)
            for sequence in 0..<before {
                let found = contents(ring, sequence)
                #expect(found == (held.contains(sequence) ? Self.payload(sequence, 1_170) : nil), "packet \(sequence)")
            }
        }
        // The maximum is reached.
        ring.grow()
        #expect(ring.arenaBytes == 4 * Self.bytes)
        for sequence in before..<(before + 1_000) { store(&ring, sequence, 1_170) }
        var heldBytes = 0
        for sequence in 0..<(before + 1_000) {
            guard let held = contents(ring, sequence) else { continue }
            #expect(held == Self.payload(sequence, 1_170), "packet \(sequence)")
            heldBytes += held.count
        }
        #expect(heldBytes <= 4 * Self.bytes && heldBytes > 4 * Self.bytes * 9 / 10)
    }

    @Test(
        "The arena follows the bit rate: it holds 2 s, and at most four times that",
        arguments: [100, 500, 1_000, 2_000, 4_000, 8_000, 100_000] as [Int64])
    func rate(kilobits: Int64) {
        var ring = PacketRing(slots: 2048, bytes: 256 << 10, maximumBytes: 4 << 20)
        var growths = 0
        // 1,000 bytes are 8 kilobits. Frames leave at 30 per second, so that packets come in bursts.
        let count = kilobits * 10 / 8
        for sequence in 0..<count {
            if ring.needsRoom {
                ring.grow()
                growths += 1
            }
            store(&ring, sequence, 1_000)
            ring.measure(now: .milliseconds(sequence * 8_000 / kilobits / 33 * 33))
        }
        let window = Int(kilobits) * 1_000 / 8 * 2
        #expect(ring.arenaBytes >= min(window, 4 << 20))
        #expect(ring.arenaBytes <= max(256 << 10, 4 * window))
        #expect(growths <= 4)
    }

    @Test("Padding lengthens a packet by up to 16 bytes, the last of which holds the count", arguments: [1, 2, 15, 16])
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

    @Test("Padding that does not fit, shortens or is applied twice changes nothing", arguments: [100, 99, 117])
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
