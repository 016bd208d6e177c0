package import MediaBase

/// What left of late by one path, by transport-wide sequence number: what feedback is held against. Flat memory behind a pointer,
/// so that noting a packet is two stores.
package struct SentPacketRing {
    /// Packets that are remembered: 2 s at 1,000 packets/s. A power of two.
    package static let capacity = 2048

    package struct Entry {
        /// Microseconds of the worker's clock, modulo 2^32.
        package var time: UInt32 = 0
        /// Bytes of the datagram; 0 for an entry that is not in use.
        package var bytes: UInt16 = 0
        /// Number of the probe that it belongs to; 0: none.
        package var probe: UInt16 = 0
    }

    private let entries: UnsafeMutablePointer<Entry>
    /// Transport-wide sequence number of the next packet, unwrapped; its low 16 bits go on the wire.
    package private(set) var next: Int64 = 0
    package private(set) var bytes: UInt64 = 0

    package init() {
        entries = .allocate(capacity: Self.capacity)
        entries.initialize(repeating: Entry(), count: Self.capacity)
    }

    /// Frees the memory; the value is not used afterwards.
    package func deallocate() { entries.deallocate() }

    /// Notes one packet. - Returns: its transport-wide sequence number.
    @inline(__always)
    package mutating func append(bytes length: Int, probe: UInt16 = 0, now: MediaTime) -> UInt16 {
        entries[Int(next) & (Self.capacity - 1)] = Entry(
            time: UInt32(truncatingIfNeeded: now.rawValue / 1000), bytes: UInt16(truncatingIfNeeded: length),
            probe: probe)
        next &+= 1
        bytes &+= UInt64(length)
        return UInt16(truncatingIfNeeded: next &- 1)
    }

    /// A packet that is still remembered.
    package func find(_ sequence: Int64) -> Entry? {
        guard sequence >= 0, sequence < next, sequence >= next - Int64(Self.capacity) else { return nil }
        return entries[Int(sequence) & (Self.capacity - 1)]
    }
}
