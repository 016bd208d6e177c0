package import MediaBase

/// Recently sent packets of one path by transport-wide sequence number, with the result of feedback on each. Feedback is compared with
/// these entries. The entries are flat memory behind a pointer, so that recording a packet takes two stores and applying feedback touches
/// no other memory.
package struct SentPacketRing {
    /// Maximum number of packets that are kept for a subscriber: 2 s at 1,000 packets/s. A power of two.
    package static let maximumCapacity = 2048
    /// Maximum number of packets that are kept for a pipe, which carries many streams: 0.8 s at 20,000 packets/s. A power of two.
    package static let maximumPipeCapacity = 16_384
    /// Initial capacity in packets: 2 s at 250 packets/s, which is video at 2.5 Mb/s.
    package static let firstCapacity = 512
    /// The ring grows if packets would be overwritten sooner than this, in microseconds.
    private static let span: UInt32 = 2_000_000

    package struct Entry {
        /// Send time in microseconds of the worker's clock, modulo 2^32.
        package var time: UInt32 = 0
        /// Datagram length in the low 14 bits, feedback flags above.
        private var word: UInt16 = 0
        /// Number of the probe that the packet belongs to; 0 if none.
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

        /// Length of the datagram in bytes; 0 for an unused entry.
        @inline(__always)
        package var bytes: Int { Int(word & Self.lengthMask) }
        /// True if feedback covered the packet, whether it was received or not.
        @inline(__always)
        var isTold: Bool { word & Self.told != 0 }
        /// True if feedback reported the packet as received, or if it must have been reported by feedback that was lost.
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
    private let maximum: Int
    /// Transport-wide sequence number of the next packet, unwrapped; its low 16 bits go on the wire.
    package private(set) var next: Int64 = 0
    package private(set) var bytes: UInt64 = 0

    /// - Parameter maximum: maximum number of packets that are kept; a power of two.
    package init(maximum: Int = Self.maximumCapacity) {
        self.maximum = maximum
        entries = .allocate(capacity: Self.firstCapacity)
        entries.initialize(repeating: Entry(), count: Self.firstCapacity)
    }

    /// Frees the memory. The value must not be used afterwards.
    package func deallocate() { entries.deallocate() }

    package var capacity: Int { mask + 1 }
    /// Lowest sequence number that may still be in the ring.
    @inline(__always)
    var oldest: Int64 { max(0, next &- Int64(mask &+ 1)) }

    /// Records a sent packet.
    /// - Returns: the packet's transport-wide sequence number.
    @inline(__always)
    package mutating func append(bytes length: Int, probe: UInt16 = 0, now: MediaTime) -> UInt16 {
        let time = UInt32(truncatingIfNeeded: now.rawValue / 1000)
        if Int(next) & mask == 0 { growIfShort(now: time) }
        entries[Int(next) & mask] = Entry(time: time, bytes: length, probe: probe)
        next &+= 1
        bytes &+= UInt64(length)
        return UInt16(truncatingIfNeeded: next &- 1)
    }

    /// Removes one of the latest 65,536 packets, because it was not sent. Feedback on it is then ignored.
    /// - Parameter number: the number that `append` returned.
    package mutating func withdraw(_ number: UInt16) {
        let latest = next &- 1
        let sequence = latest &- Int64(UInt16(truncatingIfNeeded: latest) &- number)
        guard let entry = pointer(of: sequence) else { return }
        bytes &-= UInt64(entry.pointee.bytes)
        entry.pointee = Entry()
    }

    /// Loads the memory of the next ten or so entries into the cache.
    @inline(__always)
    func fetch() -> UInt32 {
        entries[Int(next) & mask].time &+ entries[Int(next &+ 8) & mask].time
    }

    /// Grows the ring if the entries about to be overwritten are too recent. Runs once per turn of the ring.
    @inline(never)
    private mutating func growIfShort(now: UInt32) {
        guard next > 0, mask + 1 < maximum, now &- entries[0].time < Self.span else { return }
        let wider = 2 * (mask + 1)
        let memory = UnsafeMutablePointer<Entry>.allocate(capacity: wider)
        memory.initialize(repeating: Entry(), count: wider)
        for sequence in oldest..<next { memory[Int(sequence) & (wider - 1)] = entries[Int(sequence) & mask] }
        entries.deallocate()
        entries = memory
        mask = wider - 1
    }

    /// Returns the entry of a packet that is still in the ring.
    package func find(_ sequence: Int64) -> Entry? { pointer(of: sequence)?.pointee }

    /// Returns a pointer to the entry of a packet that is still in the ring. Valid until the next packet is recorded.
    @inline(__always)
    func pointer(of sequence: Int64) -> UnsafeMutablePointer<Entry>? {
        guard sequence >= oldest, sequence < next else { return nil }
        let entry = entries + (Int(sequence) & mask)
        return entry.pointee.bytes > 0 ? entry : nil
    }

    /// Removes the results of feedback. The record of sent packets is kept.
    package func forgetFeedback() {
        for index in 0...mask { entries[index].forgetFeedback() }
    }
}
