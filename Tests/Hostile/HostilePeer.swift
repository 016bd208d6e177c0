import MediaBase
import MillraceTestKit

/// Sender of hostile packets; confined to the thread of the run.
protocol HostilePeer: AnyObject {
    /// Packets can be sent now.
    var isReady: Bool { get }
    /// The relay ended it, or it is useless for another reason: it is replaced.
    var isOver: Bool { get }
    /// Reads what came and does what is due.
    func service(now: MediaTime)
    /// Sends one packet.
    func send(using random: inout SeededGenerator, count: inout PacketCounts)
    /// Ends it at the relay.
    func close(_ relay: RelayControl) async
}
