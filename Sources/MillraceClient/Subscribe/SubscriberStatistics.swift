/// What one subscription received so far.
public struct SubscriberStatistics: Hashable, Sendable {
    // MARK: sound
    public var soundPackets: UInt64 = 0
    /// Packets that came too late or twice, that were made up for, and that came out of order.
    public var soundLate: UInt64 = 0
    public var soundConcealed: UInt64 = 0
    public var soundReordered: UInt64 = 0
    /// How long sound is held back, so that nearly all of it is there in time.
    public var soundDelay = Duration.zero
    /// RFC 3550 section 6.4.1.
    public var soundJitter = Duration.zero

    // MARK: pictures
    /// Frames that came whole, and those that did not or could not be shown without others.
    public var frames: UInt64 = 0
    public var framesDropped: UInt64 = 0
    public var framesDecoded: UInt64 = 0
    public var framesDamaged: UInt64 = 0
    /// Decoding did not keep up.
    public var framesSkipped: UInt64 = 0
    public var keyFrames: UInt64 = 0
    public var packetsLost: UInt64 = 0
    /// Of the last key frame; 0 before the first.
    public var width = 0
    public var height = 0

    /// Of the peer connection that all subscriptions share.
    public var transport: TransportStatistics?

    public init() {}
}
