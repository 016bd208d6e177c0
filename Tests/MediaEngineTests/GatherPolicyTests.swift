import Forwarding
import MediaBase
import Testing

@testable import MediaEngine

@Suite("Time for which packets are gathered")
struct GatherPolicyTests {
    private func policy(_ change: (inout EngineConfiguration) -> Void = { _ in }) throws -> GatherPolicy {
        var configuration = EngineConfiguration()
        change(&configuration)
        return try GatherPolicy(configuration)
    }

    private static let now = MediaTime.seconds(10)

    private func wait(
        _ policy: GatherPolicy, _ kind: MediaKind, _ flags: StoredPacket.Flags = [], audioProducers: Int = 2,
        newPathUntil: MediaTime = .zero
    ) -> MediaTime {
        policy.deadline(
            kind, flags, audioProducers: audioProducers, newPathUntil: newPathUntil, now: Self.now) - Self.now
    }

    @Test(
        "Rises with the load from 1 ms below 30 % to the latency budget at 70 %",
        arguments: [
            (-1, 1_000, 1_000), (0, 1_000, 1_000), (0.3, 1_000, 1_000), (0.4, 2_000, 1_250), (0.5, 3_000, 1_500),
            (0.6, 4_000, 1_750), (0.7, 5_000, 2_000), (1, 5_000, 2_000), (.infinity, 5_000, 2_000),
        ] as [(Double, Int64, Int64)])
    func budgets(load: Double, video: Int64, audio: Int64) throws {
        var policy = try policy()
        policy.follow(load: load)
        // Rounding of the load's share may cost a nanosecond.
        #expect(abs((wait(policy, .video) - .microseconds(video)).rawValue) <= 1)
        #expect(abs((wait(policy, .audio) - .microseconds(audio)).rawValue) <= 1)
    }

    @Test("Is 1 ms before the load is known") func start() throws {
        let policy = try policy()
        for kind in MediaKind.allCases { #expect(wait(policy, kind) == .milliseconds(1)) }
    }

    @Test("Falls again with the load") func falls() throws {
        var policy = try policy()
        policy.follow(load: 1)
        policy.follow(load: 0.1)
        #expect(wait(policy, .video) == .milliseconds(1) && wait(policy, .audio) == .milliseconds(1))
    }

    @Test("Late packets, the end of a frame and the audio of one publisher do not wait", arguments: [0, 1] as [Double])
    func immediate(load: Double) throws {
        var policy = try policy()
        policy.follow(load: load)
        for kind in MediaKind.allCases { #expect(wait(policy, kind, .late) == .zero) }
        #expect(wait(policy, .video, .marker) == .zero)
        #expect(wait(policy, .video, [.marker, .keyFrameStart, .frameStart]) == .zero)
        for count in 0...1 { #expect(wait(policy, .audio, audioProducers: count) == .zero) }
        // The marker of an audio packet is the begin of a talk spurt (RFC 3551 section 4.1).
        #expect(wait(policy, .audio, .marker) > .zero)
    }

    @Test("Does not follow the load in the first second of a path") func newPath() throws {
        var policy = try policy()
        policy.follow(load: 1)
        let later = Self.now + .nanoseconds(1)
        for kind in MediaKind.allCases {
            #expect(wait(policy, kind, newPathUntil: later) == .milliseconds(1))
            #expect(wait(policy, kind, newPathUntil: Self.now) > .milliseconds(1))
        }
    }

    @Test("Is fixed if the budget is not above the shortest wait") func fixed() throws {
        for budget in [0, 2, 5] as [Int64] {
            var policy = try policy {
                $0.gather = .milliseconds(5)
                $0.videoLatencyBudget = .milliseconds(budget)
                $0.audioLatencyBudget = .milliseconds(budget)
            }
            for load in [0, 0.5, 1] {
                policy.follow(load: load)
                for kind in MediaKind.allCases { #expect(wait(policy, kind) == .milliseconds(5)) }
            }
        }
    }

    @Test("Is zero with any load if gathering is off") func off() throws {
        var policy = try policy { $0.gather = .zero }
        policy.follow(load: 1)
        for kind in MediaKind.allCases { #expect(wait(policy, kind) == .zero) }
    }

    @Test("Budgets above 20 ms are refused") func refused() {
        for budget in [MediaTime.nanoseconds(-1), .nanoseconds(20_000_001), .never] {
            #expect(throws: EngineError.self) { _ = try policy { $0.videoLatencyBudget = budget } }
            #expect(throws: EngineError.self) { _ = try policy { $0.audioLatencyBudget = budget } }
        }
        #expect(throws: Never.self) { _ = try policy { $0.videoLatencyBudget = .milliseconds(20) } }
    }
}
