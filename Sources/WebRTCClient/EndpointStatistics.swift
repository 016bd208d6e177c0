package import MediaBase

/// Counters of the packets that an endpoint sent and received.
package struct EndpointStatistics: Sendable, Hashable {
    /// Media packets without retransmissions, and their bytes as datagrams.
    package var sentPackets: UInt64 = 0
    package var sentBytes: UInt64 = 0
    package var retransmissions: UInt64 = 0
    /// Payload bytes that were repeated to probe the path.
    package var probeBytes: UInt64 = 0
    /// Requested packets that were no longer stored.
    package var forgotten: UInt64 = 0
    /// Media packets that arrived for the first time, as originals or as retransmissions.
    package var receivedPackets: UInt64 = 0
    package var receivedBytes: UInt64 = 0
    /// Packets of `receivedPackets` that arrived as retransmissions.
    package var recovered: UInt64 = 0
    package var duplicates: UInt64 = 0
    /// Packets without media on a retransmission stream, which probe the path.
    package var padding: UInt64 = 0
    /// Requested retransmissions; repeated requests for a packet count each time.
    package var requests: UInt64 = 0
    package var keyFrameRequestsSent: UInt64 = 0
    package var keyFrameRequestsReceived: UInt64 = 0
    /// Transport-wide feedback messages, and packets that the received ones report as arrived.
    package var feedbackSent: UInt64 = 0
    package var feedbackReceived: UInt64 = 0
    package var acknowledged: UInt64 = 0
    package var reportsSent: UInt64 = 0
    package var reportsReceived: UInt64 = 0
    /// Datagrams that could not be decrypted or parsed.
    package var refused: UInt64 = 0
    /// Round-trip time from the last report that contained one.
    package var roundTrip: MediaTime?
    /// Fraction lost in the last report block, 0...255.
    package var reportedLoss: UInt8 = 0
    /// Bit rate in the receiver's last REMB.
    package var reportedBitrate: Bitrate?

    package init() {}
}
