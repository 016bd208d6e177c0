import LoadGenerator
import MediaBase
import SRTP
import TestMedia
import Testing

/// Complete runs of WebRTC participants against a relay in this process: offers, ICE, DTLS, SRTP, decoders.
@Suite(.serialized) struct WebRTCLoadTests {
    private func plan(subscribers: Int = 6, seconds: Double = 2) throws -> LoadPlan {
        var plan = LoadPlan(target: .embedded)
        plan.transport = .webRTC
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

    @Test(arguments: [SRTPSuite.aesCM128HMACSHA1_80, .aeadAES128GCM])
    func everythingArrives(suite: SRTPSuite) async throws {
        var plan = try plan()
        plan.suite = suite
        let report = try await run(plan)
        #expect(report.failures == [])
        #expect(report.joins == 6)
        #expect(report.settings.transport == "webrtc")
        // Two publishers and six subscribers.
        #expect(try #require(report.iceTime).count == 8)
        #expect(try #require(report.dtlsTime).count == 8)
        #expect(try #require(report.dtlsTime).min > 0)
        #expect(report.connectionsLost == 0)
        #expect(report.received.lost == 0)
        #expect(report.received.silentTracks == 0)
        #expect(report.received.tracks == 12)
        #expect(report.received.packets > 300)
        #expect(report.sent.packets > 100)
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
        #expect(report.table.contains("DTLS"))
    }

    @Test func lossIsMadeGood() async throws {
        var plan = try plan(seconds: 3)
        plan.loss = 0.05
        let report = try await run(plan)
        #expect(report.failures == [])
        #expect(report.sent.droppedOnPurpose > 0)
        #expect(report.received.droppedOnPurpose > 0)
        #expect(report.sent.resent > 0)
        #expect(report.received.askedAgain > 0)
        #expect(report.received.recovered > 0)
        #expect(try #require(report.video).decoded > 40)
    }

    @Test func simulcastPublishersAreViewed() async throws {
        var plan = try plan(subscribers: 2)
        plan.publishers = 1
        plan.video = try VideoFormat("640x360@15")
        plan.simulcast = true
        let report = try await run(plan)
        #expect(report.failures == [])
        #expect(report.settings.simulcast)
        let video = try #require(report.video)
        #expect(video.decoded > 20)
        #expect(video.unreadable == 0)
        #expect(video.decodeErrors == 0)
        // A publisher sends three sizes, a subscriber receives one.
        let sizes = try #require(plan.video).simulcast
        #expect(sizes.map(\.description) == ["160x90@15", "320x180@15", "640x360@15"])
        #expect(report.sent.kilobitsPerSecond > report.received.kilobitsPerSecond / 2)
    }

    @Test func churnReplacesWebRTCSubscribers() async throws {
        var plan = try plan(subscribers: 4)
        plan.churn = 5
        let report = try await run(plan)
        #expect(report.failures == [])
        #expect(report.leaves >= 5)
        #expect(report.joins == 4 + report.leaves)
        #expect(report.connectionsLost == 0)
    }

    @Test(arguments: [
        (FaultyRelay.Fault.noSDP, "unusableAnswer"), (.otherCertificate, "notConnected"), (.refusal, "refused"),
    ])
    func joinsThatFailAreCountedByKind(fault: FaultyRelay.Fault, kind: String) async throws {
        let report = try await LoadRun(plan: plan(seconds: 1), relay: FaultyRelay(intact: 3, fault)).run { _ in }
        #expect(!report.isSuccess)
        #expect(report.joins == 1)
        #expect(report.failedJoins == 5)
        #expect(report.failedJoinsByKind == [kind: 5])
        #expect(try #require(report.failures.first).contains("5 \(kind)"))
        // A participant that never connected has lost no connection.
        #expect(report.connectionsLost == 0)
        #expect(report.received.silentTracks == 0)
    }

    @Test(
        "A run ends with the reason if the relay's answer to a publisher cannot be used",
        arguments: [
            (FaultyRelay.Fault.noSDP, "unusableAnswer"), (.otherCertificate, "notConnected"), (.refusal, "refused"),
        ])
    func publishersThatAreRefusedEndTheRun(fault: FaultyRelay.Fault, kind: String) async throws {
        let run = try LoadRun(plan: plan(), relay: FaultyRelay(intact: 1, fault))
        await #expect { _ = try await run.run { _ in } } throws: { ($0 as? LoadError)?.kind == kind }
    }
}
