import Foundation
import MediaBase
import MillraceTestKit
import Testing

@testable import SDP

@Suite("CLU-3: subscribe negotiation that another relay continues") struct SavedNegotiationTests {
    private let both: Set<MediaKind> = [.audio, .video]

    /// Returns a negotiation of two streams, of which the client receives the first one.
    private func negotiation(_ client: SubscribingClient) throws -> SubscribeNegotiation {
        var negotiation = try SubscribeNegotiationTests.negotiation()
        try negotiation.subscribe("a", kinds: both, now: .zero)
        let offer = try SubscribeNegotiationTests.take(&negotiation, at: .seconds(1))
        #expect(negotiation.saved == nil, "an offer is open")
        _ = try negotiation.accept(client.answer(offer.sdp), revision: 1, now: .seconds(1))
        try negotiation.subscribe("b", kinds: [.audio], now: .seconds(1))
        return negotiation
    }

    private func copy(_ saved: SavedNegotiation) throws -> SavedNegotiation {
        try JSONDecoder().decode(SavedNegotiation.self, from: JSONEncoder().encode(saved))
    }

    @Test("the next offer, the next SSRCs and the effect of its answer are as without the change of relays")
    func continued() throws {
        let client = SubscribingClient()
        var one = try negotiation(client)
        let saved = try #require(one.saved)
        #expect(try copy(saved) == saved)
        #expect(saved.subscriptions == ["a", "b"] && saved.sectionCount == 2 && !saved.isNative)
        let other = SubscribeNegotiation(continuing: try copy(saved), maximumSubscriptions: 200, now: .seconds(2))
        var two = try #require(other)
        #expect(two.agreedStreams == ["a"] && two.revision == 1)
        let offers = [
            try SubscribeNegotiationTests.take(&one, at: .seconds(3)),
            try SubscribeNegotiationTests.take(&two, at: .seconds(3)),
        ]
        #expect(offers[0] == offers[1] && offers[0].revision == 2)
        let answer = try client.answer(offers[0].sdp)
        let agreements = [
            try one.accept(answer, revision: 2, now: .seconds(3)),
            try two.accept(answer, revision: 2, now: .seconds(3)),
        ]
        #expect(agreements[0] == agreements[1] && agreements[0].added.map(\.stream) == ["b"])
        #expect(try one.unsubscribe("a", now: .seconds(4)) == two.unsubscribe("a", now: .seconds(4)))
        #expect(one.saved == two.saved)
    }

    @Test("nothing is offered if nothing has changed")
    func unchanged() throws {
        let client = SubscribingClient()
        var one = try negotiation(client)
        let offer = try SubscribeNegotiationTests.take(&one, at: .seconds(2))
        _ = try one.accept(client.answer(offer.sdp), revision: 2, now: .seconds(2))
        let other = SubscribeNegotiation(
            continuing: try #require(one.saved), maximumSubscriptions: 200, now: .seconds(2))
        var two = try #require(other)
        #expect(two.takeOffer(now: .seconds(3)) == nil && two.deadline == .never)
    }

    @Test("a negotiation that cannot have happened, or that is too large here, is not continued")
    func inconsistent() throws {
        let saved = try #require(negotiation(SubscribingClient()).saved)
        let data = try JSONEncoder().encode(saved)
        let good = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        func isContinued(_ change: (inout [String: Any]) -> Void) throws -> Bool {
            var json = good
            change(&json)
            let data = try JSONSerialization.data(withJSONObject: json)
            guard let saved = try? JSONDecoder().decode(SavedNegotiation.self, from: data) else { return false }
            return SubscribeNegotiation(continuing: saved, maximumSubscriptions: 2, now: .zero) != nil
        }
        #expect(try isContinued { _ in })
        #expect(SubscribeNegotiation(continuing: saved, maximumSubscriptions: 1, now: .zero) == nil)
        for number in [0, -1, Int.max] { #expect(try !isContinued { $0["revision"] = number }) }
        for number in [-1, 1, Int.max] { #expect(try !isContinued { $0["nextMID"] = number }) }
        #expect(try !isContinued { $0["videoCodecs"] = [String]() })
        #expect(try !isContinued { $0["sections"] = [Any]() })
        #expect(try !isContinued { $0["requested"] = [Any]() })
        #expect(try !isContinued { $0["sources"] = ["last": 1, "step": 2] })
        let sections = try #require(good["sections"] as? [[String: Any]])
        #expect(try !isContinued { $0["sections"] = sections + sections })
        var strange = sections
        strange[0]["mid"] = "video"
        #expect(try !isContinued { $0["sections"] = strange })
        strange = sections
        strange[0]["source"] = nil
        #expect(try !isContinued { $0["sections"] = strange })
        strange = sections
        strange[0]["source"] = strange[1]["source"]
        #expect(try !isContinued { $0["sections"] = strange })
    }
}
