internal import ArgumentParser
internal import CLinuxNet
internal import MediaBase
internal import MillraceTestKit

/// Valid stream of a plain publisher (session "scenario", stream "plain") with damage at a few chosen frames, in real time.
final class Scenario {
    enum Kind: String, ExpressibleByArgument, Sendable {
        /// Timestamps that are 2^30 ticks ahead: every 60 frames, four times.
        case jumps
        /// After 90 frames a key frame of 0 x 0 pixels, after 90 more one frame 2^30 ticks ahead, then 90 frames.
        case damage
    }

    private let relay: RelayControl
    private let media: SampleMedia
    private var random: SeededGenerator
    /// Time from frame to frame, nanoseconds.
    private static let interval: Int64 = 33_333_333

    init(relay: RelayControl, seed: UInt64) throws {
        self.relay = relay
        media = try SampleMedia()
        random = SeededGenerator(seed: seed)
    }

    func run(_ kind: Kind) async throws {
        let publisher = try await PlainPublisher.open(
            relay, session: "scenario", stream: "plain", media: media, using: &random)
        for number in 0..<300 {
            publisher.sendClean(using: &random) { forger in
                switch kind {
                case .jumps: if number % 60 == 59 { forger.skip(ticks: 1 << 30) }
                case .damage:
                    if number == 90, forger.identity.kind == .video {
                        var frame = media.frames[0]
                        for place in 6..<10 { frame[place] = 0 }
                        forger.replacement = frame
                    }
                    if number == 180 { forger.skip(ticks: 1 << 30) }
                    if number == 181 { forger.skip(ticks: 0 &- (1 << 30)) }
                }
            }
            publisher.service(now: HostileRun.now)
            _ = millrace_wait([], 0, Self.interval)
        }
        _ = try await relay.metrics()
        await publisher.close(relay)
    }
}
