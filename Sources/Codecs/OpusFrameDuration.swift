public import MediaBase

/// Duration of one Opus frame (RFC 6716 section 2.1.4).
public enum OpusFrameDuration: Int, Sendable, CaseIterable, Hashable {
    /// The raw value is the number of samples per channel at 48 kHz.
    case ms2_5 = 120
    case ms5 = 240
    case ms10 = 480
    case ms20 = 960
    case ms40 = 1920
    case ms60 = 2880

    /// Samples per channel at 48 kHz.
    public var frameCount: Int { rawValue }
    public var duration: MediaTime { .microseconds(Int64(rawValue) * 1_000_000 / 48_000) }
}
