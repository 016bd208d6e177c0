import MediaBase
import SDP
import Testing

@Suite struct AnswerTests {
    @Test func aPublishersNumbersAreAnswered() throws {
        let offer = try Peers.offer("aiortc-publish")
        let tracks = try offer.receivable()
        #expect(tracks.map(\.payloadType.rawValue) == [96, 97])
        #expect(tracks.map(\.rtxPayloadType?.rawValue) == [nil, 98])
        let answer = try offer.answer(Peers.relay, tracks: Peers.receive(tracks))
        #expect(answer.media.map(\.formats) == [["96"], ["97", "98"]])
    }
}
