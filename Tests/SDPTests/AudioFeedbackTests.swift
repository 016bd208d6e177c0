import MediaBase
import MillraceTestKit
import RTP
import SDP
import Testing

@Suite("SDP: NACK for Opus (RFC 4585)") struct AudioFeedbackTests {
    private static let line = "a=rtcp-fb:111 nack\r\n"

    @Test(
        "The relay offers NACK for Opus, and assumes it of clients whose answers leave it out",
        arguments: ["aiortc", "chromium", "firefox"])
    func relayOffers(name: String) throws {
        var negotiation = try SubscribeNegotiationTests.negotiation()
        try negotiation.subscribe("a", kinds: [.audio, .video], now: .zero)
        let offer = try SubscribeNegotiationTests.take(&negotiation, at: .seconds(1))
        #expect(offer.sdp.contains(Self.line))
        let answer = try TestVector.text("sdp/\(name)-subscribe.sdp")
        #expect(!answer.contains(Self.line))
        let added = try negotiation.accept(answer, revision: 1, now: .seconds(1)).added
        let audio = try #require(added.first { $0.track.kind == .audio })
        #expect(audio.track.feedback.contains(.nack) && audio.rtxSSRC == nil)
    }

    @Test(
        "The relay's answer has NACK for Opus only if the offer has it",
        arguments: ["chromium-publish", "chromium-view", "safari-simulcast"])
    func relayAnswers(name: String) throws {
        let text = try Peers.text(name)
        let transport = "a=rtcp-fb:111 transport-cc\r\n"
        for (offer, has) in [(text, false), (text.changing(transport, to: transport + Self.line), true)] {
            let offer = try Offer(parsing: offer.utf8)
            let isSubscriber = Peers.subscribers.contains(name)
            let tracks = try isSubscriber ? offer.sendable() : offer.receivable()
            let audio = try #require(tracks.first { $0.kind == .audio })
            #expect(audio.feedback.contains(.nack) == has)
            let answer = offer.answer(
                try Peers.relay, tracks: isSubscriber ? Peers.send(tracks) : Peers.receive(tracks))
            #expect(answer.text.contains(Self.line) == has)
        }
    }
}
