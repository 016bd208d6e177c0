import DTLS
import MediaBase
import MillraceTestKit
import CLinuxNet

/// Authentic WebRTC subscriber whose transport-wide feedback moves its clock by the largest step with each block.
///
/// After 17,300 blocks of 2^23 - 1 units of 64 ms the clock is 2^63 ns ahead, which the estimator has to survive.
final class FeedbackFlood {
    private let relay: RelayControl
    private let media: SampleMedia
    private var random: SeededGenerator
    /// Blocks of one compound: 24 bytes each.
    private static let blocksAtOnce: UInt64 = 40

    init(relay: RelayControl, seed: UInt64) throws {
        self.relay = relay
        media = try SampleMedia()
        random = SeededGenerator(seed: seed)
    }

    /// - Returns: the number of blocks that were sent.
    /// - Throws: if the subscriber does not connect within 20 s, or the relay stops answering.
    func run(blocks: UInt64) async throws -> UInt64 {
        let publisher = try await PlainPublisher.open(
            relay, session: "flood", stream: "plain", media: media, using: &random)
        var counts = PacketCounts()
        let subscriber = try await WebRTCPeer.open(
            relay, .subscriber, habit: .none, session: "flood", stream: "plain", identity: DTLSIdentity.generate(),
            media: media, now: HostileRun.now, using: &random)
        var sent: UInt64 = 0
        let end = HostileRun.now + .seconds(20)
        // Media continues for a while after the last block, because the estimator reads the clock when a packet is acknowledged.
        while sent < blocks + 100 * Self.blocksAtOnce {
            let now = HostileRun.now
            for _ in 0..<4 { publisher.send(using: &random, count: &counts) }
            publisher.service(now: now)
            subscriber.service(now: now)
            if subscriber.isReady, subscriber.receivesMedia {
                subscriber.acknowledge(blocks: Int(Self.blocksAtOnce))
                sent += Self.blocksAtOnce
            } else if now > end || subscriber.isOver {
                throw HostileError.relay("the subscriber did not connect")
            }
            _ = millrace_wait([], 0, 2_000_000)
        }
        _ = try await relay.metrics()
        await subscriber.close(relay)
        await publisher.close(relay)
        return sent
    }
}
