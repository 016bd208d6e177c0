package import MediaBase

/// What an endpoint sent and received.
package struct EndpointStatistics: Sendable, Hashable {
    /// Media packets and their bytes as datagrams, retransmissions left out.
    package var sentPackets: UInt64 = 0
    package var sentBytes: UInt64 = 0
    package var retransmissions: UInt64 = 0
    /// Asked for, but not kept any more.
    package var forgotten: UInt64 = 0
    /// Media packets that came for the first time, by whatever way.
    package var receivedPackets: UInt64 = 0
    package var receivedBytes: UInt64 = 0
    /// Of these, those that came as retransmissions.
    package var recovered: UInt64 = 0
    package var duplicates: UInt64 = 0
    /// Packets without media on a retransmission stream: probes of the path.
    package var padding: UInt64 = 0
    /// Packets asked for again, each request counted.
    package var requests: UInt64 = 0
    package var keyFrameRequestsSent: UInt64 = 0
    package var keyFrameRequestsReceived: UInt64 = 0
    /// Transport-wide feedback, and the packets that it says came.
    package var feedbackSent: UInt64 = 0
    package var feedbackReceived: UInt64 = 0
    package var acknowledged: UInt64 = 0
    package var reportsSent: UInt64 = 0
    package var reportsReceived: UInt64 = 0
    /// Datagrams that no key fits, or that are no packet.
    package var refused: UInt64 = 0
    /// Of the last report that told one.
    package var roundTrip: MediaTime?
    /// 0...255, of the last report block.
    package var reportedLoss: UInt8 = 0
    /// The least that the receiver said it can take by REMB.
    package var reportedBitrate: Bitrate?

    package init() {}
}
