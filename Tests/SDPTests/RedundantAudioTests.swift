import MediaBase
import MillraceTestKit
import RTP
import SDP
import Testing

@Suite("SDP: redundant audio (RFC 2198)") struct RedundantAudioTests {
    private static let red = PayloadType(63)
    private static let lines = "a=rtpmap:63 red/48000/2\r\na=fmtp:63 111/111\r\n"

    private func answer(to text: String) throws -> (audio: TrackDescription, section: MediaSection) {
        let offer = try Offer(parsing: text.utf8)
        let tracks = try offer.receivable()
        let answer = offer.answer(try Peers.relay, tracks: Peers.receive(tracks))
        return (
            try #require(tracks.first { $0.kind == .audio }), try #require(answer.media.first { $0.media == "audio" })
        )
    }

    @Test("The answer accepts the payload type of an offer, in the order of the offer")
    func order() throws {
        let text = try Peers.text("chromium-publish")
        let formats = try #require(Offer(parsing: text.utf8).description.media.first { $0.media == "audio" }).formats
        #expect(formats.prefix(2) == ["111", "63"])
        for (first, offer) in [("111", text), ("63", text.changing(" 111 63 ", to: " 63 111 "))] {
            let (audio, section) = try answer(to: offer)
            #expect(audio.payloadType == PayloadType(111) && audio.redPayloadType == Self.red)
            #expect(section.formats == [first, first == "63" ? "111" : "63"])
            #expect(section.lines.attributes("fmtp").compactMap(\.value).contains("63 111/111"))
            #expect(section.lines.attributes("rtpmap").compactMap(\.value) == ["111 opus/48000/2", "63 red/48000/2"])
        }
    }

    @Test(
        "Blocks of other codecs, one channel, and RED without parameters are not accepted",
        arguments: [
            "a=fmtp:63 111/0", "a=fmtp:63 111", "a=fmtp:63 0/0", "a=fmtp:63 x/x", "a=fmtp:63 111/111;a=1", "a=x",
            "a=fmtp:63 /", "a=fmtp:63 99999/99999",
        ])
    func others(parameters: String) throws {
        let offer = try Peers.text("chromium-publish").changing("a=fmtp:63 111/111", to: parameters)
        let (audio, section) = try answer(to: offer)
        #expect(audio.redPayloadType == nil && section.formats == ["111"])
        let mono = try Peers.text("chromium-publish").changing("red/48000/2", to: "red/48000")
        #expect(try answer(to: mono).audio.redPayloadType == nil)
    }

    @Test("The relay offers it after Opus, and sends it to clients that accept it")
    func relayOffers() throws {
        for (drops, isAccepted) in [([], true), ([" red/"], false), (["111/111"], false)] as [([String], Bool)] {
            var negotiation = try SubscribeNegotiationTests.negotiation()
            try negotiation.subscribe("a", kinds: [.audio], now: .zero)
            let offer = try SubscribeNegotiationTests.take(&negotiation, at: .seconds(1))
            #expect(offer.sdp.contains(" 111 63\r\n") && offer.sdp.contains(Self.lines))
            var client = SubscribingClient()
            client.drops = drops
            let added = try negotiation.accept(client.answer(offer.sdp), revision: 1, now: .seconds(1)).added
            let audio = try #require(added.first)
            #expect(audio.track.redPayloadType == (isAccepted ? Self.red : nil))
            #expect(audio.track.payloadType == PayloadType(111))
            #expect(audio.track.withoutRED.redPayloadType == nil)
        }
    }

    @Test("An answer under another payload type than the offered one is not used")
    func otherNumber() throws {
        var negotiation = try SubscribeNegotiationTests.negotiation()
        try negotiation.subscribe("a", kinds: [.audio], now: .zero)
        let offer = try SubscribeNegotiationTests.take(&negotiation, at: .seconds(1))
        let text = try SubscribingClient().answer(offer.sdp)
            .changing(" 111 63\r\n", to: " 111 62\r\n").changing(":63 ", to: ":62 ")
        let added = try negotiation.accept(text, revision: 1, now: .seconds(1)).added
        #expect(try #require(added.first).track.redPayloadType == nil)
    }
}
