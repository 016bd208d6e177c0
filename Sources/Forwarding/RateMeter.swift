package import MediaBase

/// Bit rate and frame rate of one stream over the last second, by temporal layer. Kept in a ring of ten slots of 100 ms.
package struct RateMeter: ~Copyable {
    private static let slots = 10
    private static let slot = MediaTime.milliseconds(100)
    /// Approximate bytes per packet without the payload: RTP header, header extension and authentication tag.
    private static let overhead: UInt32 = 40

    private struct Slot {
        var bytes = SIMD4<UInt32>.zero
        var frames = SIMD4<UInt32>.zero
    }

    private let memory: UnsafeMutablePointer<Slot>
    /// Number of the slot that is being written, counted from time zero.
    private var current: Int64 = 0
    /// Number of the first packet's slot.
    private var first: Int64?

    package init() {
        memory = .allocate(capacity: Self.slots)
        memory.initialize(repeating: Slot(), count: Self.slots)
    }

    deinit { memory.deallocate() }

    package mutating func add(payload: Int, layer: UInt8, startsFrame: Bool, now: MediaTime) {
        advance(to: max(0, now.rawValue) / Self.slot.rawValue)
        let slot = memory + Int(current % Int64(Self.slots))
        slot.pointee.bytes[Int(layer & 3)] &+= UInt32(truncatingIfNeeded: payload) &+ Self.overhead
        if startsFrame { slot.pointee.frames[Int(layer & 3)] &+= 1 }
    }

    private mutating func advance(to slot: Int64) {
        guard slot != current else { return }
        if first == nil {
            first = slot
            current = slot
            return
        }
        // If time seems to go backwards, the packet is counted in the current slot.
        guard slot > current else { return }
        for s in max(current + 1, slot - Int64(Self.slots) + 1)...slot {
            memory[Int(s % Int64(Self.slots))] = Slot()
        }
        current = slot
    }

    /// Returns cumulative rates up to each temporal layer. The last entry covers the whole stream.
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
        // The current slot is only partly elapsed, and a stream may have started less than a second ago. The rates use the time actually
        // covered.
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
