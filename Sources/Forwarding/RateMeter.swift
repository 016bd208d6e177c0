package import MediaBase

/// Bits and frames of one stream over the last second, by temporal layer: slots of a tenth of a second, written round and round.
package struct RateMeter: ~Copyable {
    private static let slots = 10
    private static let slot = MediaTime.milliseconds(100)
    /// What a packet has beside its payload: RTP header, header extension and tag, about.
    private static let overhead: UInt32 = 40

    private struct Slot {
        var bytes = SIMD4<UInt32>.zero
        var frames = SIMD4<UInt32>.zero
    }

    private let memory: UnsafeMutablePointer<Slot>
    /// Number of the slot that is written, counted from time zero.
    private var current: Int64 = 0
    /// Slot of the first packet.
    private var first: Int64?

    package init() {
        memory = .allocate(capacity: Self.slots)
        memory.initialize(repeating: Slot(), count: Self.slots)
    }

    deinit { memory.deallocate() }

    package mutating func add(payload: Int, layer: UInt8, startsFrame: Bool, now: MediaTime) {
        advance(to: max(0, now.rawValue) / Self.slot.rawValue)
        let place = memory + Int(current % Int64(Self.slots))
        place.pointee.bytes[Int(layer & 3)] &+= UInt32(truncatingIfNeeded: payload) &+ Self.overhead
        if startsFrame { place.pointee.frames[Int(layer & 3)] &+= 1 }
    }

    private mutating func advance(to slot: Int64) {
        guard slot != current else { return }
        if first == nil {
            first = slot
            current = slot
            return
        }
        // Time does not go back; where it seems to, the packet counts as one of now.
        guard slot > current else { return }
        for s in max(current + 1, slot - Int64(Self.slots) + 1)...slot {
            memory[Int(s % Int64(Self.slots))] = Slot()
        }
        current = slot
    }

    /// Rates up to each temporal layer: the last is that of everything.
    package mutating func read(now: MediaTime) -> (bitrates: [Bitrate], frameRates: [Double]) {
        let slot = max(0, now.rawValue) / Self.slot.rawValue
        guard let first else { return (Array(repeating: Bitrate(rawValue: 0), count: 4), [0, 0, 0, 0]) }
        advance(to: slot)
        var bytes = SIMD4<Int64>.zero
        var frames = SIMD4<Int64>.zero
        for s in 0..<Self.slots {
            bytes &+= SIMD4<Int64>(truncatingIfNeeded: memory[s].bytes)
            frames &+= SIMD4<Int64>(truncatingIfNeeded: memory[s].frames)
        }
        // The slot at hand is not full, and neither is the second of a stream that began within it.
        let since = max(first, current - Int64(Self.slots) + 1) * Self.slot.rawValue
        let span = max(Double(now.rawValue - since) / 1e9, Self.slot.seconds)
        var bitrates: [Bitrate] = []
        var frameRates: [Double] = []
        var totalBytes: Int64 = 0
        var totalFrames: Int64 = 0
        for layer in 0..<4 {
            totalBytes += bytes[layer]
            totalFrames += frames[layer]
            bitrates.append(Bitrate(saturating: Double(totalBytes * 8) / span))
            frameRates.append(Double(totalFrames) / span)
        }
        return (bitrates, frameRates)
    }
}
