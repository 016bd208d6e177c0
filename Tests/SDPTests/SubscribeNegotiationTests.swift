import MediaBase
import MillraceTestKit
import RTP
import SDP
import Testing

@Suite("Subscribe negotiation") struct SubscribeNegotiationTests {
    static func relay(_ seed: UInt64 = 1) throws -> RelayDescription {
        var random = SeededGenerator(seed: seed)
        let fingerprint = try #require(
            CertificateFingerprint("sha-256 " + (0..<32).map { _ in "CD" }.joined(separator: ":")))
        return RelayDescription(
            credentials: .random(using: &random), fingerprint: fingerprint, setup: .actpass,
            candidates: [ICECandidate(foundation: "1", transport: .udp, priority: 1, host: "192.0.2.1", port: 7882)])
    }

    static func negotiation(seed: UInt64 = 1, _ change: (inout SubscribeNegotiation.Configuration) -> Void = { _ in })
        throws -> SubscribeNegotiation
    {
        var configuration = try SubscribeNegotiation.Configuration(relay: relay())
        change(&configuration)
        var random = SeededGenerator(seed: seed)
        return SubscribeNegotiation(configuration, using: &random)
    }

    static func take(_ negotiation: inout SubscribeNegotiation, at now: MediaTime) throws -> SubscribeOffer {
        let offer = negotiation.takeOffer(now: now)
        return try #require(offer)
    }

    private let both: Set<MediaKind> = [.audio, .video]

    @Test("STR-3 subscriptions within 20 ms share an offer; those during an open offer share the next")
    func coalescing() throws {
        var negotiation = try Self.negotiation()
        #expect(negotiation.deadline == .never)
        try negotiation.subscribe("a", kinds: both, now: .milliseconds(100))
        try negotiation.subscribe("b", kinds: [.audio], now: .milliseconds(110))
        #expect(negotiation.deadline == .milliseconds(120))
        #expect(negotiation.takeOffer(now: .milliseconds(119)) == nil)
        let first = try Self.take(&negotiation, at: .milliseconds(120))
        #expect(first.revision == 1)
        #expect(
            first.streams == [.init(id: "a", audioMid: "0", videoMid: "1"), .init(id: "b", audioMid: "2")])
        try negotiation.subscribe("c", kinds: both, now: .milliseconds(130))
        try negotiation.subscribe("d", kinds: both, now: .milliseconds(500))
        #expect(negotiation.deadline == .never && negotiation.takeOffer(now: .seconds(1)) == nil)
        #expect(negotiation.openOffer == first)
        let agreement = try negotiation.accept(
            SubscribingClient().answer(first.sdp), revision: 1, now: .seconds(1))
        #expect(agreement.connects != nil && agreement.added.count == 3 && agreement.refused.isEmpty)
        let second = try Self.take(&negotiation, at: .seconds(1))
        #expect(second.revision == 2 && second.streams.map(\.id) == ["a", "b", "c", "d"])
    }

    @Test("A subscription that is withdrawn before its offer has no effect")
    func withdrawn() throws {
        var negotiation = try Self.negotiation()
        try negotiation.subscribe("a", kinds: both, now: .zero)
        #expect(try negotiation.unsubscribe("a", now: .zero) == [])
        #expect(negotiation.takeOffer(now: .seconds(1)) == nil)
        #expect(negotiation.openOffer == nil && negotiation.deadline == .never)
    }

    @Test("Subscribing twice, unsubscribing from nothing and the 201st subscription are refused")
    func refusals() throws {
        var negotiation = try Self.negotiation { $0.maximumSubscriptions = 2 }
        try negotiation.subscribe("a", kinds: both, now: .zero)
        #expect(throws: SubscribeNegotiationError.alreadySubscribed("a")) {
            try negotiation.subscribe("a", kinds: both, now: .zero)
        }
        #expect(throws: SubscribeNegotiationError.notSubscribed("b")) { try negotiation.unsubscribe("b", now: .zero) }
        try negotiation.subscribe("b", kinds: both, now: .zero)
        #expect(throws: SubscribeNegotiationError.limitReached(2)) {
            try negotiation.subscribe("c", kinds: both, now: .zero)
        }
        #expect(SubscribeNegotiation.Configuration(relay: try Self.relay()).maximumSubscriptions == 200)
    }

    @Test("Stale and broken answers are refused with the matching error, and the offer stays open")
    func brokenAnswers() throws {
        var negotiation = try Self.negotiation()
        #expect(throws: SubscribeNegotiationError.staleOffer(revision: 0)) {
            try negotiation.accept("", revision: 0, now: .zero)
        }
        try negotiation.subscribe("a", kinds: both, now: .zero)
        let offer = try Self.take(&negotiation, at: .seconds(1))
        let good = try SubscribingClient().answer(offer.sdp)
        for revision in [0, 2, -1] {
            #expect(throws: SubscribeNegotiationError.staleOffer(revision: revision)) {
                try negotiation.accept(good, revision: revision, now: .seconds(1))
            }
        }
        let broken = [
            "", "nonsense", good.changing("m=audio", to: "m=video"), good.changing("a=mid:1", to: "a=mid:7"),
            good.changing("BUNDLE 0 1", to: "BUNDLE 0"), good.changing("a=setup:active", to: "a=setup:actpass"),
            good.changing("a=ice-ufrag:clnt\r\n", to: ""), good.changing("t=0 0\r\n", to: "t=0 0\r\na=ice-lite\r\n"),
            good + "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:2\r\n",
            good + String(repeating: "a=x\r\n", count: 250_000),
        ]
        for (number, text) in broken.enumerated() {
            let error = #expect(throws: SubscribeNegotiationError.self, "\(number)") {
                try negotiation.accept(text, revision: 1, now: .seconds(1))
            }
            guard case .answer = error else {
                Issue.record("\(number): \(String(describing: error))")
                continue
            }
            #expect(negotiation.openOffer == offer)
        }
        #expect(try negotiation.accept(good, revision: 1, now: .seconds(1)).added.count == 2)
        #expect(throws: SubscribeNegotiationError.staleOffer(revision: 1)) {
            try negotiation.accept(good, revision: 1, now: .seconds(1))
        }
    }

    @Test("An answer may leave out retransmissions, extensions and feedback; they are not used then")
    func lesserAnswers() throws {
        var negotiation = try Self.negotiation()
        try negotiation.subscribe("a", kinds: both, now: .zero)
        let offer = try Self.take(&negotiation, at: .seconds(1))
        var client = SubscribingClient()
        client.drops = [" rtx/", "apt=", "transport-wide-cc", "nack pli"]
        let added = try negotiation.accept(client.answer(offer.sdp), revision: 1, now: .seconds(1)).added
        let video = try #require(added.first { $0.track.kind == .video })
        #expect(video.track.rtxPayloadType == nil && video.rtxSSRC == nil)
        #expect(video.track.extensions[.transportWideCC] == nil && video.track.extensions[.mid] != nil)
        #expect(video.track.feedback == [.nack, .fir, .remb])
        #expect(added.allSatisfy { offer.sdp.contains("a=ssrc:\($0.ssrc) ") })
    }

    @Test("A free section is reused after an answer to an offer without it")
    func reuse() throws {
        var negotiation = try Self.negotiation()
        let client = SubscribingClient()
        var checker = RelayOfferChecker()
        func exchange() throws -> (SubscribeOffer, SubscribeAgreement) {
            let offer = try Self.take(&negotiation, at: .seconds(100))
            try checker.check(offer)
            return (
                offer, try negotiation.accept(client.answer(offer.sdp), revision: offer.revision, now: .seconds(100))
            )
        }
        try negotiation.subscribe("a", kinds: both, now: .zero)
        _ = try exchange()
        #expect(try negotiation.unsubscribe("a", now: .zero).map(\.rawValue) == ["0", "1"])
        try negotiation.subscribe("b", kinds: both, now: .zero)
        // Packets of "a" may be in flight: "b" gets new sections.
        #expect(try exchange().0.streams == [.init(id: "b", audioMid: "2", videoMid: "3")])
        try negotiation.subscribe("c", kinds: [.video], now: .zero)
        let (offer, agreement) = try exchange()
        #expect(offer.streams.last == .init(id: "c", videoMid: "1"))
        #expect(agreement.added.map(\.stream) == ["c"] && agreement.connects == nil)
        #expect(try negotiation.setKinds(both, of: "c", now: .zero) == [])
        #expect(try exchange().0.streams.last == .init(id: "c", audioMid: "0", videoMid: "1"))
        #expect(try negotiation.setKinds([.audio], of: "c", now: .zero).map(\.rawValue) == ["1"])
        #expect(try exchange().0.streams.last == .init(id: "c", audioMid: "0"))
    }

    @Test(
        "Tracks that the client does not accept are not sent; their section is rejected, then reused with another MID")
    func rejected() throws {
        var negotiation = try Self.negotiation()
        var checker = RelayOfferChecker()
        try negotiation.subscribe("a", kinds: both, now: .zero)
        try negotiation.subscribe("b", kinds: both, now: .zero)
        let first = try Self.take(&negotiation, at: .seconds(1))
        try checker.check(first)
        var client = SubscribingClient()
        client.rejects = ["0"]
        client.ignores = ["3"]
        let agreement = try negotiation.accept(client.answer(first.sdp), revision: 1, now: .seconds(1))
        #expect(agreement.refused.map(\.stream) == ["a", "b"] && agreement.refused.map(\.kind) == [.audio, .video])
        #expect(agreement.added.map(\.track.mid.rawValue) == ["1", "2"])
        // A browser with a stopped transceiver only reports it as inactive, and accepts another MID only after the section was rejected.
        let second = try Self.take(&negotiation, at: .seconds(2))
        try checker.check(second)
        #expect(second.streams == [.init(id: "a", videoMid: "1"), .init(id: "b", audioMid: "2")])
        #expect(try SessionDescription(parsing: second.sdp).media.map(\.isRejected) == [true, false, false, true])
        let after = try negotiation.accept(SubscribingClient().answer(second.sdp), revision: 2, now: .seconds(2))
        #expect(after.added.isEmpty && after.refused.isEmpty && after.removed.isEmpty)
        #expect(negotiation.deadline == .never)
        try negotiation.subscribe("c", kinds: [.audio], now: .seconds(2))
        let third = try Self.take(&negotiation, at: .seconds(3))
        try checker.check(third)
        #expect(third.streams.map(\.id) == ["a", "b", "c"] && third.streams[2].audioMid == "4")
        let description = try SessionDescription(parsing: third.sdp)
        #expect(description.media.map(\.mid) == ["4", "1", "2", "3"])
    }

    @Test("CON-4 an ICE restart is an offer with new credentials; without one the client may not change its own")
    func restart() throws {
        var negotiation = try Self.negotiation()
        try negotiation.subscribe("a", kinds: both, now: .zero)
        var client = SubscribingClient()
        let first = try Self.take(&negotiation, at: .seconds(1))
        _ = try negotiation.accept(client.answer(first.sdp), revision: 1, now: .seconds(1))
        try negotiation.subscribe("b", kinds: both, now: .seconds(1))
        let second = try Self.take(&negotiation, at: .seconds(2))
        client.fragment = "other"
        #expect(throws: SubscribeNegotiationError.transportChanged) {
            try negotiation.accept(client.answer(second.sdp), revision: 2, now: .seconds(2))
        }
        client.fragment = "clnt"
        _ = try negotiation.accept(client.answer(second.sdp), revision: 2, now: .seconds(2))
        let credentials = try Self.relay(9).credentials
        negotiation.restart(credentials, now: .seconds(3))
        let third = try Self.take(&negotiation, at: .seconds(4))
        #expect(third.sdp.contains("a=ice-ufrag:\(credentials.ufrag)\r\n"))
        client.fragment = "other"
        let agreement = try negotiation.accept(client.answer(third.sdp), revision: 3, now: .seconds(4))
        #expect(agreement.restarts?.ufrag == "other" && agreement.added.isEmpty && agreement.connects == nil)
        negotiation.restart(credentials, now: .seconds(5))
        #expect(negotiation.deadline == .never)
    }

    @Test("CON-3 after a reset everything is offered again, with new SSRCs and the next revision")
    func reset() throws {
        var negotiation = try Self.negotiation()
        var checker = RelayOfferChecker()
        try negotiation.subscribe("a", kinds: both, now: .zero)
        let first = try Self.take(&negotiation, at: .seconds(1))
        try checker.check(first)
        negotiation.reset(relay: try Self.relay(2), now: .seconds(2))
        #expect(throws: SubscribeNegotiationError.staleOffer(revision: 1)) {
            try negotiation.accept(SubscribingClient().answer(first.sdp), revision: 1, now: .seconds(2))
        }
        checker.reset()
        let second = try Self.take(&negotiation, at: .seconds(3))
        try checker.check(second)
        #expect(second.streams == first.streams && second.revision == 2)
        let agreement = try negotiation.accept(
            SubscribingClient().answer(second.sdp), revision: 2, now: .seconds(3))
        #expect(agreement.connects != nil && agreement.added.count == 2)
    }

    @Test("Answers of real clients are read correctly", arguments: ["aiortc", "chromium", "firefox"])
    func realClients(name: String) throws {
        var negotiation = try Self.negotiation()
        try negotiation.subscribe("a", kinds: both, now: .zero)
        _ = try Self.take(&negotiation, at: .seconds(1))
        let agreement = try negotiation.accept(
            TestVector.text("sdp/\(name)-subscribe.sdp"), revision: 1, now: .seconds(1))
        #expect(agreement.connects?.setup == .active && agreement.refused.isEmpty && agreement.removed.isEmpty)
        #expect(agreement.added.map(\.track.mid.rawValue) == ["0", "1"])
        let video = try #require(agreement.added.last)
        #expect(video.track.payloadType == PayloadType(96) && video.track.rtxPayloadType == PayloadType(97))
        #expect(video.rtxSSRC != nil && video.track.feedback.isSuperset(of: [.nack, .pli]))
        for track in agreement.added {
            #expect(track.track.feedback.contains(.transportCC) == (name != "aiortc"))
            #expect((track.track.extensions[.transportWideCC] != nil) == (name != "aiortc"))
            #expect(track.track.extensions[.mid] == 1)
        }
    }
}
