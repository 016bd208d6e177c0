public import MediaBase

/// Statistics of one peer connection of the client.
public struct TransportStatistics: Hashable, Sendable {
    /// Media packets sent, without retransmissions.
    public var sentPackets: UInt64 = 0
    /// Bytes of the media packets sent, without retransmissions.
    public var sentBytes: UInt64 = 0
    /// Distinct media packets received, including recovered ones.
    public var receivedPackets: UInt64 = 0
    /// Bytes of the distinct media packets received.
    public var receivedBytes: UInt64 = 0
    /// Packets retransmitted at the relay's request.
    public var retransmissions: UInt64 = 0
    /// Lost packets recovered by retransmission.
    public var recovered: UInt64 = 0
    /// Key frame requests sent to the relay.
    public var keyFrameRequestsSent: UInt64 = 0
    /// Key frame requests received from the relay.
    public var keyFrameRequestsReceived: UInt64 = 0
    /// Fraction of sent packets that the relay reports as lost, 0...1.
    public var reportedLoss: Double = 0
    /// Round-trip time to the relay; nil before it has been measured.
    public var roundTrip: Duration?
    /// Estimated capacity of the path to the relay; nil before the first measurement.
    public var availableBitrate: Bitrate?

    public init() {}
}
