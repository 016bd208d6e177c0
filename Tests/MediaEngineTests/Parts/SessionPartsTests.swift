import MediaBase
import Testing

@testable import MediaEngine

@Suite("Parts of a session, as its home worker knows them")
struct SessionPartsTests {
    private static let move = PeerMove(peer: TransportID(rawValue: "01ab"), subsession: "one")

    @Test("A part gets packets once it has accepted the streams; moves that it has not accepted are sent again")
    func refusal() {
        var parts = SessionParts()
        _ = parts.add(1, number: 1, workers: 3)
        _ = parts.add(2, number: 1, workers: 3)
        #expect(parts.receivers == 0 && parts.isStale)
        parts.note([Self.move])
        parts.sent(accepted: [1], now: .seconds(1))
        #expect(parts.receivers == 0b100 && parts.isStale && parts.retryAt > .seconds(1))
        // The peer is on the first worker.
        #expect(parts.all[0].moves == [Self.move.peer: "one"] && parts.all[1].moves.isEmpty)
        parts.sent(accepted: [0, 1], now: .seconds(2))
        #expect(parts.receivers == 0b110 && !parts.isStale && parts.all[0].moves.isEmpty)
        parts.change()
        parts.sent(accepted: [1], now: .seconds(3))
        #expect(parts.receivers == 0b100)
    }

    @Test("The end of an earlier part of a worker does not end its newer one")
    func numbers() {
        var parts = SessionParts()
        let total = parts.add(1, number: 1, workers: 2)
        _ = parts.add(1, number: 2, workers: 2)
        total.set(5, of: 1)
        parts.remove(1, number: 1)
        #expect(parts.all.map(\.number) == [2] && total.sum == 5)
        parts.remove(1, number: 2)
        #expect(parts.isEmpty && total.sum == 0)
    }

    @Test("A session with one part notes nothing") func alone() {
        var parts = SessionParts()
        parts.change()
        parts.note([Self.move])
        #expect(!parts.isStale)
    }

    @Test("A countdown reports once, with the failure of any worker")
    func countdown() {
        let results = Results()
        let good = PartsCountdown(2) { results.add($0) }
        good.arrive()
        #expect(results.all.isEmpty)
        good.arrive()
        let bad = PartsCountdown(3) { results.add($0) }
        bad.arrive()
        bad.arrive(.stopped)
        bad.arrive()
        #expect(results.all == [nil, .stopped])
    }

    private final class Results: @unchecked Sendable {
        private(set) var all: [EngineError?] = []
        func add(_ failure: EngineError?) { all.append(failure) }
    }
}
