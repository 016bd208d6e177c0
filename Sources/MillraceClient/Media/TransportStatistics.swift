public import MediaBase

/// What one peer connection of the client sent and received.
public struct TransportStatistics: Hashable, Sendable {
    /// Media packets and their bytes, without those that were sent again.
    public var sentPackets: UInt64 = 0
    public var sentBytes: UInt64 = 0
    /// Media packets that came for the first time, by whatever way, and their bytes.
    public var receivedPackets: UInt64 = 0
    public var receivedBytes: UInt64 = 0
    /// Sent again because the relay asked.
    public var retransmissions: UInt64 = 0
    /// Lost at first, and got on request.
    public var recovered: UInt64 = 0
    /// Key frames that were asked for, by us and of us.
    public var keyFrameRequestsSent: UInt64 = 0
    public var keyFrameRequestsReceived: UInt64 = 0
    /// Share of our packets that the relay says it lost, 0...1.
    public var reportedLoss: Double = 0
    /// To the relay and back; nil before it was measured.
    public var roundTrip: Duration?
    /// What the path to the relay is thought to carry; nil before anything was measured.
    public var availableBitrate: Bitrate?

    public init() {}
}
