public import MediaBase

/// Configuration of a `VP8Encoder`.
public struct VP8EncoderConfiguration: Sendable {
    /// Frame size in pixels, 1 to 16383 each; may be odd.
    public var width: Int
    public var height: Int
    /// Expected frames per second, for rate control; the actual durations of the frames take precedence.
    public var framesPerSecond: Double
    public var bitrate: Bitrate
    /// Encoder threads, 1 to 16. libvpx uses fewer for small frames.
    public var threads: Int
    /// Maximum number of frames between key frames; nil for key frames only on request.
    public var keyFrameInterval: Int?
    /// Limits the effect of lost frames on later ones, for a few percent of bit rate.
    public var isErrorResilient: Bool
    /// Number of temporal layers, 1 to 3.
    public var temporalLayers: Int
    /// libvpx's `cpu-used` in real-time mode: 0 (slowest, best) to 16.
    public var speed: Int
    /// Whether rate control may drop frames if the bit rate is too low; `encode` then returns nil.
    public var mayDropFrames: Bool
    /// Finest and coarsest quantizer, within 0 to 63.
    public var quantizers: ClosedRange<Int>

    public init(
        width: Int, height: Int, framesPerSecond: Double = 30, bitrate: Bitrate, threads: Int = 1,
        keyFrameInterval: Int? = nil, isErrorResilient: Bool = true, temporalLayers: Int = 1, speed: Int = 6,
        mayDropFrames: Bool = false, quantizers: ClosedRange<Int> = 2...56
    ) {
        self.width = width
        self.height = height
        self.framesPerSecond = framesPerSecond
        self.bitrate = bitrate
        self.threads = threads
        self.keyFrameInterval = keyFrameInterval
        self.isErrorResilient = isErrorResilient
        self.temporalLayers = temporalLayers
        self.speed = speed
        self.mayDropFrames = mayDropFrames
        self.quantizers = quantizers
    }

    func validate() throws(CodecError) {
        func check(_ holds: Bool, _ field: String, _ reason: String) throws(CodecError) {
            guard holds else { throw .invalidArgument(field, reason: reason) }
        }
        try check((1...16383).contains(width), "width", "\(width) is not in 1...16383")
        try check((1...16383).contains(height), "height", "\(height) is not in 1...16383")
        try check(
            framesPerSecond > 0 && framesPerSecond <= 1000, "framesPerSecond", "\(framesPerSecond) is not in 0...1000")
        try check((1_000...1_000_000_000).contains(bitrate.rawValue), "bitrate", "\(bitrate) is not in 1 kb/s...1 Gb/s")
        try check((1...16).contains(threads), "threads", "\(threads) is not in 1...16")
        try check(keyFrameInterval ?? 1 > 0, "keyFrameInterval", "is not positive")
        try check((1...3).contains(temporalLayers), "temporalLayers", "\(temporalLayers) is not in 1...3")
        try check((0...16).contains(speed), "speed", "\(speed) is not in 0...16")
        try check(quantizers.lowerBound >= 0 && quantizers.upperBound <= 63, "quantizers", "not within 0...63")
    }
}
