/// What arrived at one subscriber, or at several added up.
package struct ReceptionStatistics: Sendable {
    package var packets: UInt64 = 0
    /// UDP payload bytes.
    package var bytes: UInt64 = 0
    /// Packets that should have come, by sequence numbers.
    package var expected: UInt64 = 0
    package var lost: UInt64 = 0
    package var duplicates: UInt64 = 0
    /// Packets that came as retransmissions (RFC 4588).
    package var recovered: UInt64 = 0
    package var reordered: UInt64 = 0
    /// Jumps of sequence numbers that are no loss.
    package var restarts: UInt64 = 0
    /// Packets that the generator dropped on purpose as they arrived.
    package var droppedOnPurpose: UInt64 = 0
    /// Packets that the kernel dropped at the subscriber's socket: the generator was too slow.
    package var kernelDrops: UInt64 = 0
    /// Datagrams that are no packet of the subscription.
    package var foreign: UInt64 = 0
    package var rtcpPackets: UInt64 = 0
    /// Packets asked for again by NACK.
    package var askedAgain: UInt64 = 0
    package var keyFrameRequests: UInt64 = 0
    package var tracks: UInt64 = 0
    /// Tracks of which nothing came within two seconds of joining.
    package var silentTracks: UInt64 = 0
    /// Join until the first packet, microseconds.
    package var firstPacket = Distribution()

    package init() {}

    package mutating func add(_ other: ReceptionStatistics) {
        packets += other.packets
        bytes += other.bytes
        expected += other.expected
        lost += other.lost
        duplicates += other.duplicates
        recovered += other.recovered
        reordered += other.reordered
        restarts += other.restarts
        droppedOnPurpose += other.droppedOnPurpose
        kernelDrops += other.kernelDrops
        foreign += other.foreign
        rtcpPackets += other.rtcpPackets
        askedAgain += other.askedAgain
        keyFrameRequests += other.keyFrameRequests
        tracks += other.tracks
        silentTracks += other.silentTracks
        firstPacket.merge(other.firstPacket)
    }
}
