/// Replay lists of the SRTCP packets that one peer sends, one a sender SSRC (RFC 3711 section 3.3.2): the last 128 indices. Each SSRC
/// counts its packets for itself, with GCM as well (RFC 3711 section 3.4, RFC 7714 section 9.1).
///
/// Memory is taken with the first authentic packet of an SSRC. Some browsers have an SSRC for each track that they receive, and one that
/// is gone is never taken leave of, so that they add up. Where there are too many, the list that was used least recently gives way, but
/// not what it kept out: all that stays of it is its highest index, in a table of fixed size, and a packet of an SSRC without a list has
/// to be above what stands in its SSRC's place there. So no packet gets in twice, whatever was forgotten. SSRCs that share a place share
/// the higher index: one that is new may then wait until it has counted as far, which is the price of a table that does not grow.
struct SRTCPReplayWindows {
    /// Lists that are kept: 32 KB where they are all in use.
    static let maximumSSRCs = 1024
    private static let forgottenBits: UInt32 = 12

    /// Where an SSRC's list is, or would be. It holds until the next `note`.
    struct Place {
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
        /// When a packet was noted last, counted in packets.
        var used: UInt64
    }

    /// In order of their SSRCs.
    private var windows: [Window] = []
    private var packets: UInt64 = 0
    /// One more than the highest index of the SSRCs that share a place; empty until a list has given way.
    private var forgotten: [UInt32] = []

    /// SSRCs that have a list.
    var count: Int { windows.count }

    /// Whether a packet of this index may still come.
    /// - Returns: where it is to be noted once its tag has been found right.
    func check(ssrc: UInt32, index: UInt32) throws(SRTPFailure) -> Place {
        let position = position(of: ssrc)
        guard position < windows.count, windows[position].ssrc == ssrc else {
            guard index >= floor(of: ssrc) else { throw .replay }
            return Place(position: position, isKnown: false)
        }
        let place = Place(position: position, isKnown: true)
        let highest = windows[position].highest
        guard index <= highest else { return place }
        let age = highest - index
        guard age < 128 else { throw .replay }
        let word = age < 64 ? windows[position].recent : windows[position].older
        guard word >> UInt64(age & 63) & 1 == 0 else { throw .replay }
        return place
    }

    /// Notes a packet that `check` let through and whose tag was right.
    mutating func note(ssrc: UInt32, index: UInt32, at place: Place) {
        packets += 1
        let position = place.position
        guard place.isKnown else { return begin(ssrc: ssrc, index: index, at: position) }
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
        // Swift's smart shifts give zero for 64 and more, and shift the other way where the count is negative.
        let step = Int(clamping: index - highest)
        let recent = windows[position].recent
        let fallenOut = step < 64 ? recent >> (64 - step) : recent << (step - 64)
        windows[position].older = windows[position].older << step | fallenOut
        windows[position].recent = recent << step | 1
        windows[position].highest = index
    }

    private mutating func begin(ssrc: UInt32, index: UInt32, at position: Int) {
        // What lies below the SSRC's place among the forgotten counts as seen.
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

    /// The lowest index that a packet of an SSRC without a list may have.
    private func floor(of ssrc: UInt32) -> UInt32 { forgotten.isEmpty ? 0 : forgotten[Self.slot(of: ssrc)] }

    /// Multiplied, so that neighbours spread.
    private static func slot(of ssrc: UInt32) -> Int { Int((ssrc &* 0x9e37_79b1) >> (32 - forgottenBits)) }

    /// Of the first list whose SSRC is not smaller.
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
