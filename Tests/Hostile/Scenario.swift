import ArgumentParser
import CLinuxNet
import MediaBase
import MillraceTestKit

/// Valid stream of a plain publisher (session "scenario", stream "plain") with damage at a few chosen frames, in real time.
final class Scenario {
    enum Kind: String, ExpressibleByArgument, Sendable {
        /// Frames of 1280 x 720 whose timestamps jump 9 s ahead, three times: a reader at 30 frames a second misses 270.
        case jumps
        /// Key frames of 0 x 0 pixels at the start and after 90 frames, one frame 2^30 ticks ahead, one audio packet 2^30 ticks back.
        case damage
    }

    private let relay: RelayControl
    private var random: SeededGenerator
    /// Frame interval in nanoseconds.
    private static let interval: Int64 = 33_333_333

    init(relay: RelayControl, seed: UInt64) throws {
        self.relay = relay
        random = SeededGenerator(seed: seed)
    }

    func run(_ kind: Kind) async throws {
        let media = try kind == .jumps ? SampleMedia(width: 1_280, height: 720) : SampleMedia()
        let publisher = try await PlainPublisher.open(
            relay, session: "scenario", stream: "plain", media: media, using: &random)
        for number in 0..<300 {
            publisher.sendClean(using: &random) { forger in
                let isVideo = forger.identity.kind == .video
                switch (kind, number) {
                case (.jumps, 150), (.jumps, 180), (.jumps, 210): forger.skip(ticks: isVideo ? 810_000 : 432_000)
                case (.damage, 0) where isVideo, (.damage, 90) where isVideo:
                    var frame = media.frames[0]
                    for index in 6..<10 { frame[index] = 0 }
                    forger.replacement = frame
                case (.damage, 150) where isVideo, (.damage, 211) where !isVideo: forger.skip(ticks: 1 << 30)
                case (.damage, 151) where isVideo, (.damage, 210) where !isVideo: forger.skip(ticks: 0 &- (1 << 30))
                default: break
                }
            }
            publisher.service(now: HostileRun.now)
            _ = millrace_wait([], 0, Self.interval)
        }
        _ = try await relay.metrics()
        await publisher.close(relay)
    }
}
