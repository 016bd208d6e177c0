/// Framing of datagrams in a byte stream: each is preceded by its length in two bytes (RFC 4571 section 2), as in ICE over TCP.
///
///      0                   1                   2                   3
///      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |             length            |          datagram ...         |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///
/// ```swift
/// var framing = StreamFraming()
/// try framing.receive(bytes) { datagram in … }   // any fragment of the stream
/// send(StreamFraming.frame(datagram))
/// ```
package struct StreamFraming: Sendable {
    package static let headerLength = 2
    /// Maximum length that the two-byte length field can hold.
    package static let longestDatagram = 0xffff

    /// Maximum length of a datagram in bytes.
    package let limit: Int
    /// Beginning of an incomplete frame: at most `headerLength + limit` bytes.
    private var partial: [UInt8] = []
    private var isBroken = false

    /// - Parameter limit: maximum length of a datagram in bytes, 1...65,535. Peers have no reason to send datagrams that exceed an Ethernet
    ///   MTU; the default also allows an unfragmented DTLS flight.
    package init(limit: Int = 4_096) {
        precondition((1...Self.longestDatagram).contains(limit), "a frame holds 1 to 65,535 bytes")
        self.limit = limit
    }

    /// Buffered bytes of an incomplete frame.
    package var pendingBytes: Int { partial.count }

    /// Handles the next bytes of the stream and passes on each complete datagram. Skips empty frames.
    /// - Parameter datagram: called with bytes that are valid only during the call.
    /// - Throws: if a frame is longer than the limit. The stream is unusable afterwards: further calls throw as well.
    package mutating func receive(
        _ bytes: UnsafeRawBufferPointer, _ datagram: (UnsafeRawBufferPointer) -> Void
    ) throws(StreamFramingError) {
        guard !isBroken else { throw .broken }
        var rest = bytes[...]
        while !rest.isEmpty {
            if partial.isEmpty, rest.count >= Self.headerLength {
                // The common case: complete frames are passed on without copying.
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

    /// Returns the frame of one datagram.
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

    /// Returns the two-byte header of a datagram.
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
