public import MediaBase

/// Statistics of a publisher.
public struct PublisherStatistics: Hashable, Sendable {
    /// Frames pushed by the application.
    public var framesPushed: UInt64 = 0
    /// Frames encoded, as the total of all encodings.
    public var framesEncoded: UInt64 = 0
    /// Key frames encoded, as the total of all encodings.
    public var keyFrames: UInt64 = 0
    /// Frames replaced by a newer one before encoding, because encoding did not keep up.
    public var framesReplaced: UInt64 = 0
    /// Target bit rate of the encoders.
    public var videoBitrate = Bitrate(bitsPerSecond: 0)
    /// Audio packets encoded.
    public var audioPackets: UInt64 = 0
    /// Audio blocks dropped because 500 ms of audio were already waiting to be encoded, for example if blocks
    /// are pushed faster than real time.
    public var audioDropped: UInt64 = 0
    /// Statistics of the peer connection; nil without a media path.
    public var transport: TransportStatistics?

    public init() {}
}
