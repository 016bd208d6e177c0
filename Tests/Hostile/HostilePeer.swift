import MediaBase
import MillraceTestKit

/// Sender of hostile packets; confined to the thread of the run.
protocol HostilePeer: AnyObject {
    /// Whether packets can be sent now.
    var isReady: Bool { get }
    /// Whether the relay ended the peer, or the peer is useless for another reason and needs a replacement.
    var isOver: Bool { get }
    /// Reads received packets and does due work.
    func service(now: MediaTime)
    /// Sends one packet.
    func send(using random: inout SeededGenerator, count: inout PacketCounts)
    /// Ends the peer at the relay.
    func close(_ relay: RelayControl) async
}
