/// Statistics of one subscription.
public struct SubscriberStatistics: Hashable, Sendable {
    // MARK: audio
    /// Audio packets received.
    public var audioPackets: UInt64 = 0
    /// Audio packets that arrived after their playout time, or twice.
    public var audioLate: UInt64 = 0
    /// Lost audio packets that were concealed.
    public var audioConcealed: UInt64 = 0
    /// Audio packets that arrived out of order.
    public var audioReordered: UInt64 = 0
    /// Target delay of the audio jitter buffer.
    public var audioDelay = Duration.zero
    /// Interarrival jitter of the audio (RFC 3550 section 6.4.1).
    public var audioJitter = Duration.zero

    // MARK: video
    /// Frames received completely.
    public var frames: UInt64 = 0
    /// Frames that were incomplete, or that referred to frames that were missing.
    public var framesDropped: UInt64 = 0
    /// Frames decoded.
    public var framesDecoded: UInt64 = 0
    /// Frames that could not be decoded.
    public var framesDamaged: UInt64 = 0
    /// Frames skipped because decoding did not keep up.
    public var framesSkipped: UInt64 = 0
    /// Complete key frames received.
    public var keyFrames: UInt64 = 0
    /// Video packets lost and not recovered in time.
    public var packetsLost: UInt64 = 0
    /// Width of the last key frame in pixels; 0 before the first.
    public var width = 0
    /// Height of the last key frame in pixels; 0 before the first.
    public var height = 0

    /// Statistics of the peer connection shared by all subscriptions.
    public var transport: TransportStatistics?

    public init() {}
}
