/// Datagrams in a byte stream: each behind its length in two bytes (RFC 4571 section 2), as ICE over TCP carries them.
///
///      0                   1                   2                   3
///      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |             length            |          datagram ...         |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///
/// ```swift
/// var framing = StreamFraming()
/// try framing.receive(bytes) { datagram in … }   // however the stream was cut
/// send(StreamFraming.frame(datagram))
/// ```
package struct StreamFraming: Sendable {
    package static let headerLength = 2
    /// What fits the two bytes of length.
    package static let longestDatagram = 0xffff

    /// Bytes of a datagram at most.
    package let limit: Int
    /// The start of a frame whose rest has not come yet: at most `headerLength + limit` bytes.
    private var partial: [UInt8] = []
    private var isBroken = false

    /// - Parameter limit: bytes of a datagram at most, 1...65,535. No peer has reason to send more than what a UDP datagram carries over
    ///   an Ethernet; the default leaves room for a DTLS flight that was not fragmented.
    package init(limit: Int = 4_096) {
        precondition((1...Self.longestDatagram).contains(limit), "a frame holds 1 to 65,535 bytes")
        self.limit = limit
    }

    /// Bytes that wait for the rest of their frame.
    package var pendingBytes: Int { partial.count }

    /// Takes the next bytes of the stream and hands over each datagram that is whole. Empty frames are skipped.
    /// - Parameter datagram: is called with bytes that are valid during the call only.
    /// - Throws: where a frame is longer than the limit. The stream cannot be used any more: further calls throw as well.
    package mutating func receive(
        _ bytes: UnsafeRawBufferPointer, _ datagram: (UnsafeRawBufferPointer) -> Void
    ) throws(StreamFramingError) {
        guard !isBroken else { throw .broken }
        var rest = bytes[...]
        while !rest.isEmpty {
            if partial.isEmpty, rest.count >= Self.headerLength {
                // The common case: whole frames, which are handed over where they lie.
                let length = try checkedLength(rest[rest.startIndex], rest[rest.startIndex + 1])
                let end = rest.startIndex + Self.headerLength + length
                if end <= rest.endIndex {
                    if length > 0 {
                        datagram(UnsafeRawBufferPointer(rebasing: rest[(rest.startIndex + Self.headerLength)..<end]))
                    }
                    rest = rest[end...]
                    continue
                }
            }
            var wanted = Self.headerLength
            if partial.count >= wanted { wanted += try checkedLength(partial[0], partial[1]) }
            let taken = rest.prefix(wanted - partial.count)
            partial.append(contentsOf: taken)
            rest = rest[taken.endIndex...]
            guard partial.count >= Self.headerLength,
                try partial.count == Self.headerLength + checkedLength(partial[0], partial[1])
            else { continue }
            if partial.count > Self.headerLength {
                partial.withUnsafeBytes { datagram(UnsafeRawBufferPointer(rebasing: $0[Self.headerLength...])) }
            }
            partial.removeAll(keepingCapacity: true)
        }
    }

    /// The frame of one datagram.
    /// - Precondition: `datagram` has at most 65,535 bytes.
    package static func frame(_ datagram: some Collection<UInt8>) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(headerLength + datagram.count)
        let header = header(length: datagram.count)
        frame.append(header.0)
        frame.append(header.1)
        frame.append(contentsOf: datagram)
        return frame
    }

    /// The two bytes in front of a datagram.
    /// - Precondition: `length` is 0...65,535.
    package static func header(length: Int) -> (UInt8, UInt8) {
        precondition((0...longestDatagram).contains(length), "a frame holds at most 65,535 bytes")
        return (UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length))
    }

    private mutating func checkedLength(_ high: UInt8, _ low: UInt8) throws(StreamFramingError) -> Int {
        let length = Int(high) << 8 | Int(low)
        guard length <= limit else {
            isBroken = true
            partial = []
            throw .tooLong(length)
        }
        return length
    }
}
