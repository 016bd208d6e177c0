public import MediaBase

/// What a publisher did so far.
public struct PublisherStatistics: Hashable, Sendable {
    public var picturesPushed: UInt64 = 0
    /// Over all encodings.
    public var picturesEncoded: UInt64 = 0
    public var keyFrames: UInt64 = 0
    /// Their place was taken by a newer one, since encoding did not keep up.
    public var picturesReplaced: UInt64 = 0
    /// What the encoders aim at.
    public var videoBitrate = Bitrate(bitsPerSecond: 0)
    public var soundPackets: UInt64 = 0
    /// Blocks of sound that came faster than real time.
    public var soundDropped: UInt64 = 0
    /// Nil without a media path.
    public var transport: TransportStatistics?

    public init() {}
}
