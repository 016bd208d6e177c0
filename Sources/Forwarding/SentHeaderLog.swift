/// Transport-wide numbers and send times of a consumer's latest packets. A packet that is sent again on its own stream under an AEAD suite
/// has to repeat them: two headers under one nonce would reveal the authentication key (RFC 7714 section 9.1).
///
/// Flat memory behind a pointer, so that recording a packet takes one store.
package struct SentHeaderLog {
    /// Maximum number of packets that are kept: 640 ms of packets of 20 ms, 320 ms of packets of 10 ms. A power of two.
    package static let capacity = 32

    /// Fields of a header that differ between two transmissions of a packet.
    struct Values {
        /// Transport-wide sequence number; 0 if the header has none.
        let number: UInt16
        /// abs-send-time, 24 bits; 0 if the header has none.
        let sendTime: UInt32
    }

    /// Per packet, at its sequence number modulo the capacity: low 24 bits of the sequence number, then the number, then the send time.
    private let entries: UnsafeMutablePointer<UInt64>

    package init() {
        entries = .allocate(capacity: Self.capacity)
        // No sequence number of an entry has the tag that the entry begins with.
        for index in 0..<Self.capacity { (entries + index).initialize(to: UInt64(index ^ 1) << 40) }
    }

    /// Frees the memory. The value must not be used afterwards.
    package func deallocate() { entries.deallocate() }

    /// Records the header of a packet.
    /// - Parameter sequence: the consumer's unwrapped sequence number.
    @inline(__always)
    func note(_ sequence: Int64, number: UInt16, sendTime: UInt32) {
        entries[Self.index(of: sequence)] =
            Self.tag(of: sequence) << 40 | UInt64(number) << 24 | UInt64(sendTime & 0xff_ffff)
    }

    /// Returns the header of a packet; nil if it was not sent, or if too many packets have been sent since.
    func find(_ sequence: Int64) -> Values? {
        let entry = entries[Self.index(of: sequence)]
        guard entry >> 40 == Self.tag(of: sequence) else { return nil }
        return Values(
            number: UInt16(truncatingIfNeeded: entry >> 24), sendTime: UInt32(truncatingIfNeeded: entry & 0xff_ffff))
    }

    @inline(__always)
    private static func index(of sequence: Int64) -> Int { Int(truncatingIfNeeded: sequence) & (capacity - 1) }

    @inline(__always)
    private static func tag(of sequence: Int64) -> UInt64 { UInt64(bitPattern: sequence) & 0xff_ffff }
}
