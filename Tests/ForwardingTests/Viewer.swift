import Forwarding
import MillraceTestKit
import SRTP

/// What one subscription's address gets.
final class Viewer {
    let path: Int
    let suite: SRTPSuite
    let leg: UnsafeMutablePointer<EgressLeg>
    let streams: ReceivedStreams

    init(path: Int, key: SRTPKey, leg: UnsafeMutablePointer<EgressLeg>) throws {
        self.path = path
        self.leg = leg
        suite = key.suite
        streams = try ReceivedStreams(key: key)
    }

    var packets: [UInt32: [ViewedPacket]] { streams.packets }
    var received: [ViewedPacket] { streams.received }
    var repeated: [ViewedPacket] { streams.repeated }
    var datagramCount: Int { streams.datagramCount }
}
