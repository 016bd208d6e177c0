import Forwarding
import MillraceTestKit
import SRTP

/// The receiver of one subscription's packets.
final class Subscriber {
    let path: Int
    let suite: SRTPSuite
    let context: UnsafeMutablePointer<EgressContext>
    let lane: EgressLane
    /// The relay's records of packets with a transport-wide number.
    let sent: UnsafeMutablePointer<SentPacketRing>
    let streams: ReceivedStreams

    init(
        path: Int, key: SRTPKey, context: UnsafeMutablePointer<EgressContext>, lane: EgressLane,
        sent: UnsafeMutablePointer<SentPacketRing>
    ) throws {
        self.path = path
        self.context = context
        self.lane = lane
        self.sent = sent
        suite = key.suite
        streams = try ReceivedStreams(key: key)
    }

    var packets: [UInt32: [ViewedPacket]] { streams.packets }
    var received: [ViewedPacket] { streams.received }
    var repeated: [ViewedPacket] { streams.repeated }
    var datagramCount: Int { streams.datagramCount }
}
