/// Replay lists of the SRTCP packets of one peer: the last 128 indices per sender SSRC (RFC 3711 section 3.3.2). Each SSRC has its own
/// index, with GCM as well (RFC 3711 section 3.4, RFC 7714 section 9.1).
///
/// Memory is allocated at the first authenticated packet of an SSRC. Some browsers use an SSRC for each track that they receive and never
/// announce its end, so SSRCs accumulate. Above `maximumSSRCs`, the least recently used list is removed, and its highest index is stored in
/// a hash table of fixed size. A packet of an SSRC without a list must exceed the index stored for the SSRC's hash, so no packet is
/// accepted twice. SSRCs with the same hash share the higher index: packets of a new SSRC may be refused until its index exceeds the stored
/// one, which is the cost of a table that does not grow.
struct SRTCPReplayWindows {
    /// Maximum number of lists: 32 KB if all are in use.
    static let maximumSSRCs = 1024
    private static let forgottenBits: UInt32 = 12

    /// Position of an SSRC's list, or where it would be inserted. Valid until the next `note`.
    struct Slot {
        fileprivate let position: Int
        fileprivate let isKnown: Bool
    }

    private struct Window {
        let ssrc: UInt32
        /// Highest index seen.
        var highest: UInt32
        /// Bit i of 128, low word first: index `highest - i` was seen.
        var recent: UInt64
        var older: UInt64
        /// Time of the last recorded packet, counted in packets.
        var used: UInt64
    }

    /// Lists sorted by SSRC.
    private var windows: [Window] = []
    private var packets: UInt64 = 0
    /// Highest index plus one by SSRC hash; empty until the first list is removed.
    private var forgotten: [UInt32] = []

    /// Number of SSRCs that have a list.
    var count: Int { windows.count }

    /// Checks that a packet with this index was not seen before.
    /// - Returns: the slot to pass to `note` once the tag has been verified.
    /// - Throws: `.replay` if it was seen, or is too old to decide.
    func check(ssrc: UInt32, index: UInt32) throws(SRTPFailure) -> Slot {
        let position = position(of: ssrc)
        guard position < windows.count, windows[position].ssrc == ssrc else {
            guard index >= floor(of: ssrc) else { throw .replay }
            return Slot(position: position, isKnown: false)
        }
        let slot = Slot(position: position, isKnown: true)
        let highest = windows[position].highest
        guard index <= highest else { return slot }
        let age = highest - index
        guard age < 128 else { throw .replay }
        let word = age < 64 ? windows[position].recent : windows[position].older
        guard word >> UInt64(age & 63) & 1 == 0 else { throw .replay }
        return slot
    }

    /// Records a packet that passed `check` and whose tag is correct.
    mutating func note(ssrc: UInt32, index: UInt32, at slot: Slot) {
        packets += 1
        let position = slot.position
        guard slot.isKnown else { return begin(ssrc: ssrc, index: index, at: position) }
        windows[position].used = packets
        let highest = windows[position].highest
        guard index > highest else {
            let age = highest - index
            if age < 64 {
                windows[position].recent |= 1 << UInt64(age)
            } else {
                windows[position].older |= 1 << UInt64(age - 64)
            }
            return
        }
        // Swift's smart shifts yield zero for counts of 64 and more, and shift in the other direction for negative counts.
        let step = Int(clamping: index - highest)
        let recent = windows[position].recent
        let fallenOut = step < 64 ? recent >> (64 - step) : recent << (step - 64)
        windows[position].older = windows[position].older << step | fallenOut
        windows[position].recent = recent << step | 1
        windows[position].highest = index
    }

    private mutating func begin(ssrc: UInt32, index: UInt32, at position: Int) {
        // Indices below the one stored for the SSRC's hash count as seen.
        let fresh = Int(index - floor(of: ssrc)) + 1
        let window = Window(
            ssrc: ssrc, highest: index, recent: 1 | UInt64.max << fresh, older: UInt64.max << max(0, fresh - 64),
            used: packets)
        guard windows.count >= Self.maximumSSRCs, let old = leastRecentlyUsed else {
            windows.insert(window, at: position)
            return
        }
        forget(windows[old])
        windows.remove(at: old)
        windows.insert(window, at: old < position ? position - 1 : position)
    }

    private var leastRecentlyUsed: Int? { windows.indices.min { windows[$0].used < windows[$1].used } }

    private mutating func forget(_ window: Window) {
        if forgotten.isEmpty { forgotten = [UInt32](repeating: 0, count: 1 << Int(Self.forgottenBits)) }
        let slot = Self.slot(of: window.ssrc)
        forgotten[slot] = max(forgotten[slot], window.highest + 1)
    }

    /// Returns the lowest index that is accepted from an SSRC without a list.
    private func floor(of ssrc: UInt32) -> UInt32 { forgotten.isEmpty ? 0 : forgotten[Self.slot(of: ssrc)] }

    /// Returns the hash of an SSRC. The multiplication spreads neighbouring values.
    private static func slot(of ssrc: UInt32) -> Int { Int((ssrc &* 0x9e37_79b1) >> (32 - forgottenBits)) }

    /// Returns the position of the first list whose SSRC is not smaller.
    private func position(of ssrc: UInt32) -> Int {
        var low = 0
        var high = windows.count
        while low < high {
            let middle = (low + high) / 2
            if windows[middle].ssrc < ssrc { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
