import TestMedia

/// Packets that arrived at one subscriber, or at several added up.
struct ReceptionStatistics: Sendable {
    var packets: UInt64 = 0
    /// UDP payload bytes.
    var bytes: UInt64 = 0
    /// Packets that should have arrived, by sequence numbers.
    var expected: UInt64 = 0
    var lost: UInt64 = 0
    var duplicates: UInt64 = 0
    /// Packets that arrived as retransmissions (RFC 4588).
    var recovered: UInt64 = 0
    var reordered: UInt64 = 0
    /// Jumps of sequence numbers that are not loss.
    var restarts: UInt64 = 0
    /// Packets that the generator dropped on purpose on arrival.
    var droppedOnPurpose: UInt64 = 0
    /// Packets that the kernel dropped at the subscriber's socket: the generator was too slow.
    var kernelDrops: UInt64 = 0
    /// Datagrams that are not packets of the subscription.
    var foreign: UInt64 = 0
    /// Packets requested by NACK.
    var askedAgain: UInt64 = 0
    var keyFrameRequests: UInt64 = 0
    var tracks: UInt64 = 0
    /// Tracks without a packet more than two seconds after joining.
    var silentTracks: UInt64 = 0
    /// Time from the join to the first packet, in microseconds.
    var firstPacket = Distribution()

    mutating func add(_ other: ReceptionStatistics) {
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
        askedAgain += other.askedAgain
        keyFrameRequests += other.keyFrameRequests
        tracks += other.tracks
        silentTracks += other.silentTracks
        firstPacket.merge(other.firstPacket)
    }
}
