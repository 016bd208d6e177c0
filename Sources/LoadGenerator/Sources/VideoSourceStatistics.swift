/// Statistics of a `VideoSource`.
struct VideoSourceStatistics: Sendable {
    var frames: UInt64 = 0
    var keyFrames: UInt64 = 0
    /// Frames skipped because the encoder was late.
    var skipped: UInt64 = 0
    /// Time from capture to the end of encoding, in microseconds.
    var encodeTime = Distribution()
}
