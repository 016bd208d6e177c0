/// What a `VideoSource` did.
struct VideoSourceStatistics: Sendable {
    var pictures: UInt64 = 0
    var keyFrames: UInt64 = 0
    /// Pictures left out because the encoder was late.
    var skipped: UInt64 = 0
    /// Capture until encoded, microseconds.
    var encodeTime = Distribution()
}
