import Cluster
import Conference
import MediaBase
import Signaling

extension StoreBehaviour {
    static let placement = [
        StoreBehaviour("a claim of a new session places it, and other claims return that placement") { store in
            let a = try await store.register("a"), b = try await store.register("b")
            let placed = try await store.claim("s", a, minimumTerm: 7)
            let expected = SessionPlacement(
                key: try SimulatedTestedStore.key("s"), id: SessionID(rawValue: "s-a"), home: a, term: 7,
                isHomeAlive: true)
            try StoreMismatch.check(placed, is: expected, "the first claim")
            try StoreMismatch.check(
                try await store.claim("s", b, minimumTerm: 9), is: expected, "another relay's claim")
            try StoreMismatch.check(try await store.claim("s", a, minimumTerm: 9), is: expected, "a repeated claim")
            try StoreMismatch.check(try await store.find(expected.id), is: expected, "find")
        },
        StoreBehaviour("names in different normal forms of Unicode are one session") { store in
            let a = try await store.register("a"), b = try await store.register("b")
            let composed = try await store.claim("caf\u{E9}", a)
            let decomposed = try await store.claim("cafe\u{301}", b)
            try StoreMismatch.check(decomposed, is: composed, "placement")
        },
        StoreBehaviour("a session is ended by its home relay and term alone") { store in
            let a = try await store.register("a"), b = try await store.register("b")
            let placed = try await store.claim("s", a, minimumTerm: 3)
            for (home, term) in [(a, Int64(2)), (a, 4), (b, 3), (RelayIdentity(id: a.id, incarnation: 1), 3)] {
                let answer = try await store.perform(.end(placed.id, home: home, term: term))
                try StoreMismatch.check(answer, is: .ended, "answer")
                try StoreMismatch.check(
                    try await store.find(placed.id), is: placed, "after the end by \(home), \(term)")
            }
            for _ in 0..<2 {
                let answer = try await store.perform(.end(placed.id, home: a, term: 3))
                try StoreMismatch.check(answer, is: .ended, "answer")
                try StoreMismatch.check(try await store.find(placed.id), is: nil, "after the end")
            }
            try StoreMismatch.check(try await store.claim("s", b).id.rawValue, is: "s-b", "id of the next session")
        },
        StoreBehaviour("the sessions of a relay and of the cluster are listed in order, up to the limit") { store in
            let a = try await store.register("a"), b = try await store.register("b")
            for (name, home) in [("s3", a), ("s1", a), ("s2", b)] { try await store.claim(name, home) }
            try StoreMismatch.check(try await store.held(a).map(\.key.name), is: ["s1", "s3"], "sessions of a")
            let earlier = RelayIdentity(id: a.id, incarnation: a.incarnation - 1)
            try StoreMismatch.check(try await store.held(earlier), is: [], "sessions of an earlier incarnation")
            for (limit, names) in [(-1, []), (0, []), (2, ["s1", "s2"]), (9, ["s1", "s2", "s3"])] {
                let answer = try await store.perform(.list(limit: limit))
                guard case .listing(let relays, let sessions) = answer else { throw StoreMismatch("\(answer)") }
                try StoreMismatch.check(relays.map(\.identity), is: [a, b], "relays")
                try StoreMismatch.check(sessions.map(\.key.name), is: names, "sessions with the limit \(limit)")
            }
            try StoreMismatch.check(try await store.find(SessionID(rawValue: "unknown")), is: nil, "an unknown session")
        },
        StoreBehaviour("a home relay restores its session after a loss of data, with its id and term") { store in
            let a = try await store.register("a")
            let before = try await store.claim("s", a, minimumTerm: 5)
            try await store.loseData()
            try StoreMismatch.check(try await store.held(a), is: [], "sessions after the loss")
            let again = try await store.register("a")
            let after = try await store.claim("s", again, minimumTerm: before.term)
            try StoreMismatch.check(after.id, is: before.id, "id")
            try StoreMismatch.check(after.term, is: 5, "term")
        },
        StoreBehaviour("a session that several relays claim at once has one home relay and one id") { store in
            try await race(store, names: (0..<50).map { "s\($0)" }, term: 1)
        },
    ]

    /// Lets 8 relays claim all sessions at once, each by a connection of its own, and checks that all answers agree.
    static func race(_ store: any TestedStore, names: [String], term: Int64) async throws {
        let answers = try await withThrowingTaskGroup(of: [SessionPlacement].self) { group in
            for relay in 0..<8 {
                let connection = try await store.another()
                let identity = try await connection.register("relay\(relay)")
                group.addTask {
                    var placements: [SessionPlacement] = []
                    for name in names { placements.append(try await connection.claim(name, identity)) }
                    return placements
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for (index, name) in names.enumerated() {
            let placements = answers.map { $0[index] }
            try StoreMismatch.check(Set(placements).count, is: 1, "different placements of \(name)")
            try StoreMismatch.check(placements[0].term, is: term, "term of \(name)")
            try StoreMismatch.check(placements[0].isHomeAlive, "the home relay of \(name) is not alive")
        }
    }
}
