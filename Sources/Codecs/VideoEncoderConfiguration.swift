public import MediaBase

/// Configuration of a `VideoEncoder` in any codec.
public struct VideoEncoderConfiguration: Sendable {
    /// Frame size in pixels, 1 to 16383 each; H.264: 16 to 4096. May be odd.
    public var width: Int
    public var height: Int
    /// Expected frames per second, for rate control, above 0 and at most 1000.
    public var framesPerSecond: Double
    /// Target bit rate, 1 kb/s to 1 Gb/s.
    public var bitrate: Bitrate
    /// Encoder threads, 1 to 16.
    public var threads: Int
    /// Effort, 0 (slowest, best) to 16. VP8: `cpu-used` of libvpx in real-time mode. VP9 has 5 to 9 and AV1 has 6 to 10: smaller and larger
    /// values count as the nearest of them. H.264 has three steps: below 3, below 6, and others.
    public var speed: Int
    /// Whether rate control may drop frames if the bit rate is too low; `encode` then returns nil.
    public var mayDropFrames: Bool

    public init(
        width: Int, height: Int, framesPerSecond: Double = 30, bitrate: Bitrate, threads: Int = 1, speed: Int = 8,
        mayDropFrames: Bool = false
    ) {
        self.width = width
        self.height = height
        self.framesPerSecond = framesPerSecond
        self.bitrate = bitrate
        self.threads = threads
        self.speed = speed
        self.mayDropFrames = mayDropFrames
    }

    /// Duration of a frame in 90 kHz ticks.
    var duration: Int64 { max(1, Int64(90_000 / framesPerSecond)) }

    /// - Parameter sizes: allowed widths and heights in pixels.
    func validate(sizes: ClosedRange<Int> = 1...16_383) throws(CodecError) {
        func check(_ holds: Bool, _ field: String, _ reason: String) throws(CodecError) {
            guard holds else { throw .invalidArgument(field, reason: reason) }
        }
        try check(sizes.contains(width), "width", "\(width) is not in \(sizes)")
        try check(sizes.contains(height), "height", "\(height) is not in \(sizes)")
        try check(
            framesPerSecond > 0 && framesPerSecond <= 1000, "framesPerSecond", "\(framesPerSecond) is not in 0...1000")
        try Self.check(bitrate)
        try check((1...16).contains(threads), "threads", "\(threads) is not in 1...16")
        try check((0...16).contains(speed), "speed", "\(speed) is not in 0...16")
    }

    static func check(_ bitrate: Bitrate) throws(CodecError) {
        guard (1_000...1_000_000_000).contains(bitrate.rawValue) else {
            throw .invalidArgument("bitrate", reason: "\(bitrate) is not in 1 kb/s...1 Gb/s")
        }
    }
}
