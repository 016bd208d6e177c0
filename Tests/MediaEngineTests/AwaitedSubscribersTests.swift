import SDP
import Testing

@testable import MediaEngine

@Suite("Subscribe peer connections that were offered and not answered yet")
struct AwaitedSubscribersTests {
    private let id = TransportID(rawValue: "1")

    private func offered(in session: EngineSession) -> AwaitedSubscriber {
        var random = SystemRandomNumberGenerator()
        return AwaitedSubscriber(session: session, credentials: .random(using: &random), keys: nil)
    }

    @Test("An offered connection keeps its session until it is removed") func session() {
        let session = EngineSession(name: "a", loudest: 0)
        var awaited = AwaitedSubscribers()
        awaited.insert(offered(in: session), id)
        #expect(session.awaited == 1 && !session.isEmpty)
        awaited.remove(id)
        #expect(session.isEmpty)
        awaited.remove(id)
        #expect(session.awaited == 0)
        awaited.insert(offered(in: session), id)
        awaited.removeAll()
        #expect(session.isEmpty && awaited[id, "a"] == nil)
    }

    @Test("Calls about a connection of another session do not find it") func otherSession() throws {
        var awaited = AwaitedSubscribers()
        var counters = EngineCounters()
        awaited.insert(offered(in: EngineSession(name: "a", loudest: 0)), id)
        let move = PeerMove(peer: id, subsession: "r")
        let isPlacedElsewhere = awaited.move(move, session: "b")
        let isSetElsewhere = try awaited.setPreferences(
            StreamPreferences(), ofStream: "s", for: id, session: "b", &counters)
        #expect(!isPlacedElsewhere && !isSetElsewhere && awaited[id, "b"] == nil)
        #expect(awaited[id, "a"]?.subsession == EngineSubsession.main && awaited[id, "a"]?.preferences.isEmpty == true)
        let isPlaced = awaited.move(move, session: "a")
        let isSet = try awaited.setPreferences(StreamPreferences(), ofStream: "s", for: id, session: "a", &counters)
        #expect(isPlaced && isSet && awaited[id, "a"]?.subsession == "r" && awaited[id, "a"]?.preferences.count == 1)
    }
}
