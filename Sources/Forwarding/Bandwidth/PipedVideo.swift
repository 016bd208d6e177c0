/// Video of one stream on its way to another relay, as input to `PipeAllocator`.
package struct PipedVideo: Sendable {
    package struct Encoding: Hashable, Sendable {
        /// Bits per second with all layers; 0 if no packets arrive from the publisher.
        package var bitrate: Int64
        /// Whether the receiving end needs the encoding, or has not said that it does not.
        package var isDemanded: Bool
        /// Number of subscribers and taps behind the pipe that take the encoding.
        package var takers: Int

        package init(bitrate: Int64, isDemanded: Bool = true, takers: Int = 1) {
            self.bitrate = bitrate
            self.isDemanded = isDemanded
            self.takers = takers
        }
    }

    /// Name of the stream.
    package var stream: String
    /// Encodings from the smallest to the largest.
    package var encodings: [Encoding]

    package init(stream: String, encodings: [Encoding]) {
        self.stream = stream
        self.encodings = encodings
    }

    /// Number of takers of all encodings.
    var takers: Int { encodings.reduce(0) { $0 + max(0, $1.takers) } }

    /// Returns the bits per second of the encodings that are sent if the first `count` ones may be.
    func cost(_ count: Int) -> Int64 {
        encodings.prefix(count).reduce(0) { $0 + ($1.isDemanded ? $1.bitrate : 0) }
    }

    /// Returns the largest encoding that is sent if the first `count` ones may be; nil: none is sent.
    func largestSent(_ count: Int) -> Int? { encodings.prefix(count).lastIndex { $0.isDemanded && $0.bitrate > 0 } }
}
