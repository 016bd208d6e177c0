package import MediaBase

/// Hash table from SSRC to a small index. Uses open addressing in flat memory, so that a lookup on the packet path takes one or two loads.
package struct SSRCTable: ~Copyable {
    private struct Entry {
        var ssrc: UInt32
        var index: Int32  // -1: free
    }

    private var entries: UnsafeMutablePointer<Entry>
    private var mask: Int
    package private(set) var count = 0

    package init() {
        mask = 63
        entries = .allocate(capacity: 64)
        entries.initialize(repeating: Entry(ssrc: 0, index: -1), count: 64)
    }

    deinit { entries.deallocate() }

    @inline(__always)
    private func home(_ ssrc: UInt32) -> Int {
        // Peers may choose SSRCs: the multiplication spreads neighbouring values.
        Int(truncatingIfNeeded: (ssrc &* 0x9e37_79b1) >> 7) & mask
    }

    @inline(__always)
    package func find(_ ssrc: SSRC) -> Int? {
        var at = home(ssrc.rawValue)
        while entries[at].index >= 0 {
            if entries[at].ssrc == ssrc.rawValue { return Int(entries[at].index) }
            at = (at + 1) & mask
        }
        return nil
    }

    /// Adds an SSRC. Returns false if it is already present.
    package mutating func insert(_ ssrc: SSRC, _ index: Int) -> Bool {
        guard find(ssrc) == nil else { return false }
        if (count + 1) * 2 > mask { grow() }
        store(Entry(ssrc: ssrc.rawValue, index: Int32(index)))
        count += 1
        return true
    }

    package mutating func remove(_ ssrc: SSRC) {
        var at = home(ssrc.rawValue)
        while entries[at].index >= 0, entries[at].ssrc != ssrc.rawValue { at = (at + 1) & mask }
        guard entries[at].index >= 0 else { return }
        entries[at].index = -1
        count -= 1
        // Entries behind the removed one may have been displaced by it, so they are stored again.
        var next = (at + 1) & mask
        while entries[next].index >= 0 {
            let entry = entries[next]
            entries[next].index = -1
            store(entry)
            next = (next + 1) & mask
        }
    }

    private mutating func store(_ entry: Entry) {
        var at = home(entry.ssrc)
        while entries[at].index >= 0 { at = (at + 1) & mask }
        entries[at] = entry
    }

    private mutating func grow() {
        let old = entries
        let oldCount = mask + 1
        mask = oldCount * 2 - 1
        entries = .allocate(capacity: oldCount * 2)
        entries.initialize(repeating: Entry(ssrc: 0, index: -1), count: oldCount * 2)
        for i in 0..<oldCount where old[i].index >= 0 { store(old[i]) }
        old.deallocate()
    }
}
