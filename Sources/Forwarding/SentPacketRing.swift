package import MediaBase

/// What left of late by one path, by transport-wide sequence number, and what the peer said of it: what feedback is held against. Flat
/// memory behind a pointer, so that noting a packet is two stores, and feedback on it touches no other memory.
package struct SentPacketRing {
    /// Packets that are remembered at the most: 2 s at 1,000 packets/s. A power of two.
    package static let maximumCapacity = 2048
    /// And at first: 2 s at 250 packets/s, which is video of 2.5 Mb/s.
    package static let firstCapacity = 512
    /// Packets that are overwritten sooner make the ring grow, in microseconds.
    private static let span: UInt32 = 2_000_000

    package struct Entry {
        /// Microseconds of the worker's clock, modulo 2^32.
        package var time: UInt32 = 0
        /// Bytes in the low bits, above them what feedback said.
        private var word: UInt16 = 0
        /// Number of the probe that it belongs to; 0: none.
        package var probe: UInt16 = 0

        private static let lengthMask: UInt16 = 0x3fff
        private static let told: UInt16 = 0x4000
        private static let came: UInt16 = 0x8000

        init() {}

        @inline(__always)
        init(time: UInt32, bytes: Int, probe: UInt16) {
            self.time = time
            word = UInt16(truncatingIfNeeded: min(bytes, Int(Self.lengthMask)))
            self.probe = probe
        }

        /// Of the datagram; 0 for an entry that is not in use.
        @inline(__always)
        package var bytes: Int { Int(word & Self.lengthMask) }
        /// Feedback told of the packet, whatever it said.
        @inline(__always)
        var isTold: Bool { word & Self.told != 0 }
        /// Feedback said that it came, or feedback that was lost must have.
        @inline(__always)
        var hasCome: Bool { word & Self.came != 0 }

        @inline(__always)
        mutating func setTold() { word |= Self.told }
        @inline(__always)
        mutating func setCome() { word |= Self.came }
        mutating func forgetFeedback() { word &= Self.lengthMask }
    }

    private var entries: UnsafeMutablePointer<Entry>
    private var mask = Self.firstCapacity - 1
    /// Transport-wide sequence number of the next packet, unwrapped; its low 16 bits go on the wire.
    package private(set) var next: Int64 = 0
    package private(set) var bytes: UInt64 = 0

    package init() {
        entries = .allocate(capacity: Self.firstCapacity)
        entries.initialize(repeating: Entry(), count: Self.firstCapacity)
    }

    /// Frees the memory; the value is not used afterwards.
    package func deallocate() { entries.deallocate() }

    package var capacity: Int { mask + 1 }
    /// The first packet that may still be remembered.
    @inline(__always)
    var oldest: Int64 { max(0, next &- Int64(mask &+ 1)) }

    /// Notes one packet. - Returns: its transport-wide sequence number.
    @inline(__always)
    package mutating func append(bytes length: Int, probe: UInt16 = 0, now: MediaTime) -> UInt16 {
        let time = UInt32(truncatingIfNeeded: now.rawValue / 1000)
        if Int(next) & mask == 0 { growIfShort(now: time) }
        entries[Int(next) & mask] = Entry(time: time, bytes: length, probe: probe)
        next &+= 1
        bytes &+= UInt64(length)
        return UInt16(truncatingIfNeeded: next &- 1)
    }

    /// Forgets one of the latest 65,536 packets: it was not sent. Feedback that says it did not come, or that it came, then means nothing.
    /// - Parameter number: as `append` returned it.
    package mutating func withdraw(_ number: UInt16) {
        let latest = next &- 1
        let sequence = latest &- Int64(UInt16(truncatingIfNeeded: latest) &- number)
        guard let entry = place(of: sequence) else { return }
        bytes &-= UInt64(entry.pointee.bytes)
        entry.pointee = Entry()
    }

    /// Brings the memory of the next packets, some ten of them, into the cache.
    @inline(__always)
    func fetch() -> UInt32 {
        entries[Int(next) & mask].time &+ entries[Int(next &+ 8) & mask].time
    }

    /// Once a round: what is about to be overwritten may have been sent a moment ago.
    @inline(never)
    private mutating func growIfShort(now: UInt32) {
        guard next > 0, mask + 1 < Self.maximumCapacity, now &- entries[0].time < Self.span else { return }
        let wider = 2 * (mask + 1)
        let memory = UnsafeMutablePointer<Entry>.allocate(capacity: wider)
        memory.initialize(repeating: Entry(), count: wider)
        for sequence in oldest..<next { memory[Int(sequence) & (wider - 1)] = entries[Int(sequence) & mask] }
        entries.deallocate()
        entries = memory
        mask = wider - 1
    }

    /// A packet that is still remembered.
    package func find(_ sequence: Int64) -> Entry? { place(of: sequence)?.pointee }

    /// Where a packet stands that is still remembered; valid until the next is noted.
    @inline(__always)
    func place(of sequence: Int64) -> UnsafeMutablePointer<Entry>? {
        guard sequence >= oldest, sequence < next else { return nil }
        let entry = entries + (Int(sequence) & mask)
        return entry.pointee.bytes > 0 ? entry : nil
    }

    /// What feedback said is forgotten; what was sent is not.
    package func forgetFeedback() {
        for place in 0...mask { entries[place].forgetFeedback() }
    }
}
