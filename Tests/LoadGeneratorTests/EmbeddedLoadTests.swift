import Foundation
import LoadGenerator
import MediaBase
import SRTP
import TestMedia
import Testing

/// Complete runs against a relay in this process: real encoders, sockets, SRTP and decoders.
@Suite(.serialized) struct EmbeddedLoadTests {
    private func plan(subscribers: Int = 10, seconds: Double = 2) throws -> LoadPlan {
        var plan = LoadPlan(target: .embedded)
        plan.publishers = 2
        plan.subscribers = subscribers
        plan.video = try VideoFormat("320x180@15")
        plan.ramp = .milliseconds(300)
        plan.duration = .seconds(seconds)
        return plan
    }

    @Test("Participants of a full mesh receive each other, and not themselves")
    func fullMesh() async throws {
        var plan = try plan()
        try plan.makeFullMesh(participants: 4)
        plan.decodeSample = 12
        let report = try await run(plan)
        #expect(report.failures == [])
        #expect(report.settings.fullMesh)
        #expect(report.joins == 12)
        #expect(report.received.tracks == 24)
        #expect(report.received.silentTracks == 0)
        #expect(report.received.lost == 0)
        // Each subscription hears the tone of its own publisher.
        let audio = try #require(report.audio)
        #expect(audio.checked > 500)
        #expect(audio.wrongTone == 0)
        #expect(report.table.contains("1 sessions x 4, each publishes and receives all others (12 subscriptions)"))
    }

    private func run(_ plan: LoadPlan) async throws -> LoadReport {
        try await LoadRun(plan: plan, relay: EmbeddedRelay()).run { _ in }
    }

    @Test(arguments: SRTPSuite.allCases)
    func everythingArrives(suite: SRTPSuite) async throws {
        var plan = try plan()
        plan.suite = suite
        let report = try await run(plan)
        #expect(report.failures == [])
        #expect(report.joins == 10)
        #expect(report.received.lost == 0)
        #expect(report.received.duplicates == 0)
        #expect(report.received.foreign == 0)
        #expect(report.received.silentTracks == 0)
        #expect(report.received.tracks == 20)
        #expect(report.received.packets > 500)
        let video = try #require(report.video)
        #expect(video.subscribers == 2)
        #expect(video.decoded > 40)
        #expect(video.countersMissed == 0)
        #expect(video.unreadable == 0)
        #expect(video.decodeErrors == 0)
        #expect(try #require(video.psnr).mean > 30)
        #expect(try #require(video.latency).p50 < 500)
        let audio = try #require(report.audio)
        #expect(audio.checked > 100)
        #expect(audio.wrongTone == 0)
        #expect(audio.concealed == 0)
        let relay = try #require(report.relay)
        #expect(relay.forwardedPackets > 400)
        #expect(try #require(relay.cpuNanosecondsPerPacket) > 0)
        #expect(relay.residentMegabytes > 1)
    }

    @Test(
        "E2E-1 encrypted frames and audio of synthetic publishers are decrypted by the sample",
        arguments: ["correct horse", String(repeating: "5a", count: 32)], ["plain", "webrtc"])
    func encrypted(secret: String, transport: String) async throws {
        var options = LoadOptions()
        options.embedded = true
        (options.plan.publishers, options.plan.subscribers, options.video) = (2, 4, "320x180@15")
        (options.ramp, options.duration) = (0.3, 2)
        (options.secret, options.transport) = (secret, transport)
        options.plan.simulcast = transport == "webrtc"
        let plan = try options.validPlan()
        let report = try await run(plan)
        #expect(report.failures == [])
        #expect(report.settings.encrypted && report.table.contains("end-to-end encryption"))
        let (video, audio) = (try #require(report.video), try #require(report.audio))
        #expect(video.decoded > 20 && video.undecryptable == 0 && video.countersMissed == 0 && video.decodeErrors == 0)
        #expect(audio.checked > 50 && audio.undecryptable == 0 && audio.wrongTone == 0)
        #expect(report.table.contains("0 frames, 0 audio packets of the decoded sample"))
    }

    @Test func lossOnPurposeIsSeenAndRecoveredFrom() async throws {
        var plan = try plan(seconds: 3)
        plan.loss = 0.05
        let report = try await run(plan)
        #expect(report.sent.droppedOnPurpose > 0)
        #expect(report.received.droppedOnPurpose > 0)
        #expect(report.received.askedAgain > 0)
        #expect(report.received.lost > 0)
        let video = try #require(report.video)
        #expect(video.decoded > 40)
        #expect(video.unreadable == 0)
    }

    @Test func churnReplacesSubscribers() async throws {
        var plan = try plan(subscribers: 6)
        plan.churn = 5
        let report = try await run(plan)
        #expect(report.failures == [])
        #expect(report.leaves >= 5)
        #expect(report.joins == 6 + report.leaves)
        #expect(report.received.lost == 0)
        // The participant that replaces a sampled one receives a frame, too.
        let subscribers = try #require(report.video).subscribers
        #expect(subscribers > 2)
        #expect(try #require(report.firstFrame).count >= subscribers - 1)
    }

    @Test func audioAloneAndSeveralSessions() async throws {
        var plan = try plan(subscribers: 3, seconds: 1)
        plan.video = nil
        plan.sessions = 3
        let report = try await run(plan)
        #expect(report.failures == [])
        #expect(report.joins == 9)
        #expect(report.video == nil)
        #expect(report.received.lost == 0)
        #expect(report.received.silentTracks == 0)
    }

    @Test func aBrokenBoundFailsTheRun() async throws {
        var plan = try plan(subscribers: 1, seconds: 1)
        plan.thresholds.psnr = 99
        plan.thresholds.latencyP99 = 1e-6
        let report = try await run(plan)
        #expect(!report.isSuccess)
        #expect(report.failures.count == 2)
    }

    @Test("A run ends with the reason if the relay's answer to a publisher cannot be used")
    func unusableAnswer() async throws {
        let run = try LoadRun(plan: plan(), relay: FaultyRelay(intact: 1, .noAddress))
        await #expect(throws: LoadError.address("relay.example")) { _ = try await run.run { _ in } }
        let refused = try LoadRun(plan: plan(), relay: FaultyRelay(intact: 0, .refusal))
        await #expect(throws: LoadError.refused(status: 403, code: "forbidden", detail: "not you")) {
            _ = try await refused.run { _ in }
        }
    }

    @Test func anInterruptedRunStillReports() async throws {
        let load = try LoadRun(plan: plan(seconds: 600), relay: EmbeddedRelay())
        let report = try await load.run { _ in load.interrupt() }
        #expect(report.interrupted)
        #expect(report.seconds < 60)
        #expect(report.received.packets > 0)
        #expect(report.table.contains("ended early"))
        let json = try JSONEncoder().encode(report)
        #expect(String(decoding: json, as: UTF8.self).contains("\"interrupted\":true"))
    }
}
