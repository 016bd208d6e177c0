import Transport

/// A TCP stream of framed datagrams (RFC 4571), cut at any offsets. The result must not depend on the cuts.
enum FramingFuzz {
    private static let limit = 1_500

    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        var input = FuzzInput(bytes)
        let cuts = Array(input.take(8))
        let stream = input.rest()
        let whole = try receive(stream, cuts: [])
        let cut = try receive(stream, cuts: cuts)
        try require(whole.datagrams == cut.datagrams, "cuts at \(cuts) change the datagrams")
        try require(whole.error == cut.error, "cuts at \(cuts) change the error")
        for datagram in whole.datagrams {
            try require(!datagram.isEmpty && datagram.count <= limit, "a datagram of \(datagram.count) bytes")
        }
        guard whole.error == nil else { return }
        // Only empty frames are lost when datagrams are written and read again.
        let written = whole.datagrams.flatMap { StreamFraming.frame($0) }
        let again = written.withUnsafeBytes { bytes in try? receive(bytes, cuts: []) }
        try require(again?.datagrams == whole.datagrams, "written frames are read as others")
    }

    private struct Result {
        var datagrams: [[UInt8]] = []
        var error: StreamFramingError?
    }

    /// - Parameter cuts: lengths of the pieces, in turn; empty: one piece.
    private static func receive(_ stream: UnsafeRawBufferPointer, cuts: [UInt8]) throws(FuzzViolation) -> Result {
        var framing = StreamFraming(limit: limit)
        var result = Result()
        var offset = 0
        var turn = 0
        while offset < stream.count {
            let length = cuts.isEmpty ? stream.count : Int(cuts[turn % cuts.count]) + 1
            let end = min(stream.count, offset + length)
            do throws(StreamFramingError) {
                try framing.receive(UnsafeRawBufferPointer(rebasing: stream[offset..<end])) {
                    result.datagrams.append(Array($0))
                }
            } catch {
                result.error = error
                return result
            }
            try require(
                framing.pendingBytes <= limit + StreamFraming.headerLength, "\(framing.pendingBytes) bytes kept")
            offset = end
            turn += 1
        }
        return result
    }
}
