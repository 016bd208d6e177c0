import Cluster
import MediaBase
import Signaling

extension StoreBehaviour {
    static let state = [
        StoreBehaviour("saved state is loaded as it was saved") { store in
            let placed = try await store.claim("s", store.register("a"))
            try StoreMismatch.check(try await store.load(placed), is: StoredSession(), "state of a new session")
            let texts = [
                "", "{\"name\":\"Zo\u{EB} \\\"1\\\"\"}", "six characters: \\u0000", "\u{1}\n\t\u{7F}",
                "\u{1F600} / it's $1 {}",
                String(repeating: "0123456789", count: 10_000),
            ]
            let seats = Dictionary(uniqueKeysWithValues: texts.enumerated().map { (connection("c\($0)"), $1) })
            for essence in texts {
                let changes = SessionChanges(essence: essence, seats: seats.mapValues { $0 })
                try StoreMismatch.check(try await store.save(placed, changes), "the save was refused")
                let expected = StoredSession(essence: essence, seats: seats)
                try StoreMismatch.check(try await store.load(placed), is: expected, "state")
            }
        },
        StoreBehaviour("a save changes the parts that it names, and no others") { store in
            let placed = try await store.claim("s", store.register("a"))
            let a = connection("a"), b = connection("b"), c = connection("c")
            let steps: [(SessionChanges, StoredSession)] = [
                (SessionChanges(seats: [a: "1", b: "1"]), StoredSession(seats: [a: "1", b: "1"])),
                (SessionChanges(essence: "e"), StoredSession(essence: "e", seats: [a: "1", b: "1"])),
                (
                    SessionChanges(seats: [a: "2", c: "1"]),
                    StoredSession(essence: "e", seats: [a: "2", b: "1", c: "1"])
                ),
                (
                    SessionChanges(essence: "f", seats: [b: nil]),
                    StoredSession(essence: "f", seats: [a: "2", c: "1"])
                ),
                (
                    SessionChanges(seats: [a: nil, b: nil, c: "2"]),
                    StoredSession(essence: "f", seats: [c: "2"])
                ),
                (SessionChanges(), StoredSession(essence: "f", seats: [c: "2"])),
            ]
            for (changes, expected) in steps {
                try StoreMismatch.check(try await store.save(placed, changes), "the save was refused")
                try StoreMismatch.check(try await store.load(placed), is: expected, "after \(changes)")
            }
        },
        StoreBehaviour("state is saved and loaded under the tenure of the session alone") { store in
            let a = try await store.register("a"), b = try await store.register("b")
            let placed = try await store.claim("s", a, minimumTerm: 3)
            let changes = SessionChanges(essence: "e", seats: [connection("c"): "1"])
            try StoreMismatch.check(try await store.save(placed, changes), "the save was refused")
            let others: [(inout SessionPlacement) -> Void] = [
                { $0.term = 2 }, { $0.term = 4 }, { $0.home = b }, { $0.id = SessionID(rawValue: "unknown") },
                { $0.home = RelayIdentity(id: a.id, incarnation: a.incarnation - 1) },
            ]
            for change in others {
                var other = placed
                change(&other)
                let refused = SessionChanges(essence: "f", seats: [connection("c"): nil, connection("d"): "1"])
                try StoreMismatch.check(try await !store.save(other, refused), "saved under \(other)")
                try StoreMismatch.check(try await store.load(other), is: nil, "loaded under \(other)")
                let expected = StoredSession(essence: "e", seats: [connection("c"): "1"])
                try StoreMismatch.check(try await store.load(placed), is: expected, "state")
            }
        },
        StoreBehaviour("state survives a take-over, and only the new home relay changes it then") { store in
            let a = try await store.register("a"), b = try await store.register("b")
            let before = try await store.claim("s", a)
            let c = connection("c"), d = connection("d")
            _ = try await store.save(before, SessionChanges(essence: "e", seats: [c: "1", d: "1"]))
            try await store.endLease(a)
            let after = try await store.claim("s", b)
            try StoreMismatch.check(try await !store.save(before, SessionChanges(essence: "late")), "a late save")
            try StoreMismatch.check(try await store.load(before), is: nil, "loaded by the previous home relay")
            let expected = StoredSession(essence: "e", seats: [c: "1", d: "1"])
            try StoreMismatch.check(try await store.load(after), is: expected, "after the take-over")
            let changes = SessionChanges(essence: "f", seats: [c: nil, d: "2"])
            try StoreMismatch.check(try await store.save(after, changes), "the save was refused")
            let changed = StoredSession(essence: "f", seats: [d: "2"])
            try StoreMismatch.check(try await store.load(after), is: changed, "after the save")
        },
        StoreBehaviour("the state of a session ends with it, and is not that of another session") { store in
            let a = try await store.register("a")
            let first = try await store.claim("s", a), other = try await store.claim("t", a)
            let c = connection("c")
            _ = try await store.save(first, SessionChanges(essence: "e", seats: [c: "1"]))
            _ = try await store.save(other, SessionChanges(essence: "f", seats: [c: "2"]))
            _ = try await store.perform(.end(first.id, home: a, term: first.term))
            try StoreMismatch.check(
                try await !store.save(first, SessionChanges(essence: "late")), "saved after the end")
            try StoreMismatch.check(try await store.load(first), is: nil, "after the end")
            let second = try await store.claim("s", a)
            try StoreMismatch.check(try await store.load(second), is: StoredSession(), "state of the next session")
            let expected = StoredSession(essence: "f", seats: [c: "2"])
            try StoreMismatch.check(try await store.load(other), is: expected, "state of the other session")
        },
        StoreBehaviour("a loss of data takes the state along") { store in
            let placed = try await store.claim("s", store.register("a"))
            _ = try await store.save(placed, SessionChanges(essence: "e", seats: [connection("c"): "1"]))
            try await store.loseData()
            try StoreMismatch.check(try await !store.save(placed, SessionChanges(essence: "f")), "saved after the loss")
            let again = try await store.claim("s", store.register("a"))
            try StoreMismatch.check(try await store.load(again), is: StoredSession(), "state after the loss")
        },
        StoreBehaviour("a session has thousands of seats") { store in
            let placed = try await store.claim("s", store.register("a"))
            let state = String(repeating: "0123456789", count: 30)
            var seats = Dictionary(uniqueKeysWithValues: (0..<10_000).map { (connection("c\($0)"), "\($0) \(state)") })
            let all = SessionChanges(essence: "e", seats: seats.mapValues { $0 })
            try StoreMismatch.check(try await store.save(placed, all), "the save was refused")
            try StoreMismatch.check(try await store.load(placed)?.seats == seats, "the seats differ")
            let gone = seats.keys.filter { $0.rawValue.hasSuffix("7") }
            for connection in gone { seats[connection] = nil }
            let removal = SessionChanges(seats: Dictionary(uniqueKeysWithValues: gone.map { ($0, nil) }))
            try StoreMismatch.check(try await store.save(placed, removal), "the save was refused")
            try StoreMismatch.check(try await store.load(placed)?.seats == seats, "the seats differ after the removal")
        },
    ]

    private static func connection(_ name: String) -> ConnectionID { ConnectionID(rawValue: name) }
}
