import Cluster
import MediaBase

extension StoreBehaviour {
    static let takeOver = [
        StoreBehaviour("a session is taken over after the lease of its home relay, with the next term") { store in
            let a = try await store.register("a"), b = try await store.register("b")
            let before = try await store.claim("s", a, minimumTerm: 3)
            try await store.age(a.id, by: store.settings.leaseTime - .seconds(600))
            try StoreMismatch.check(try await store.claim("s", b), is: before, "within the lease")
            try await store.age(a.id, by: .seconds(600))
            var found = try await store.find(before.id)
            try StoreMismatch.check(found?.isHomeAlive, is: false, "state of the home relay")
            let taken = try await store.claim("s", b)
            var expected = before
            expected.home = b
            expected.term = 4
            try StoreMismatch.check(taken, is: expected, "after the lease")
            try await store.beat(a)
            found = try await store.claim("s", a)
            try StoreMismatch.check(found, is: expected, "claim of the previous home relay")
        },
        StoreBehaviour("a take-over has the larger of the next term and the claimed one") { store in
            let a = try await store.register("a"), b = try await store.register("b"), c = try await store.register("c")
            try await store.claim("s", a, minimumTerm: 3)
            try await store.endLease(a)
            try StoreMismatch.check(
                try await store.claim("s", b, minimumTerm: 10).term, is: 10, "a larger claimed term")
            try await store.endLease(b)
            try await store.beat(a)
            try StoreMismatch.check(
                try await store.claim("s", c, minimumTerm: 10).term, is: 11, "an equal claimed term")
        },
        StoreBehaviour("a relay that claims its own session after its lease gets it unchanged") { store in
            let a = try await store.register("a")
            let before = try await store.claim("s", a)
            try await store.endLease(a)
            var expected = before
            expected.isHomeAlive = false
            try StoreMismatch.check(try await store.claim("s", a, minimumTerm: 9), is: expected, "placement")
        },
        StoreBehaviour("a session is taken over by its id, and none is inserted") { store in
            let a = try await store.register("a"), b = try await store.register("b")
            let before = try await store.claim("s", a)
            try StoreMismatch.check(try await store.takeOver(before.id, b), is: before, "within the lease")
            try await store.endLease(a)
            var expected = before
            expected.home = b
            expected.term = 2
            for attempt in 1...2 {
                let taken = try await store.takeOver(before.id, b)
                try StoreMismatch.check(taken, is: expected, "attempt \(attempt) after the lease")
            }
            _ = try await store.perform(.end(before.id, home: b, term: 2))
            try StoreMismatch.check(try await store.takeOver(before.id, b), is: nil, "after the end")
            try StoreMismatch.check(try await store.held(b), is: [], "sessions")
        },
        StoreBehaviour("a restarted relay takes the sessions of its earlier incarnation over") { store in
            let old = try await store.register("a")
            try await store.claim("s", old)
            let new = try await store.register("a")
            let taken = try await store.claim("s", new)
            try StoreMismatch.check(taken.home, is: new, "home relay")
            try StoreMismatch.check(taken.term, is: 2, "term")
            try StoreMismatch.check(try await store.held(old), is: [], "sessions of the earlier incarnation")
        },
        StoreBehaviour("the sessions of a relay that has left are taken over") { store in
            let a = try await store.register("a"), b = try await store.register("b")
            try await store.claim("s", a)
            _ = try await store.perform(.leave(a))
            try StoreMismatch.check(try await store.claim("s", b).home, is: b, "home relay")
        },
        StoreBehaviour("nothing is taken over while less than half of the relays are alive") { store in
            let a = try await store.register("a"), b = try await store.register("b"), c = try await store.register("c")
            let d = try await store.register("d")
            let before = try await store.claim("s", a)
            for relay in [a, b, c] { try await store.endLease(relay) }
            var expected = before
            expected.isHomeAlive = false
            try StoreMismatch.check(try await store.claim("s", d), is: expected, "one of four alive")
            try StoreMismatch.check(try await store.claim("new", d).home, is: d, "a new session")
            try await store.beat(c)
            try StoreMismatch.check(try await store.claim("s", d).home, is: d, "two of four alive")
        },
        StoreBehaviour("relays that were silent for the forget time do not count for the majority") { store in
            let a = try await store.register("a"), b = try await store.register("b"), c = try await store.register("c")
            let d = try await store.register("d")
            try await store.claim("s", a)
            for relay in [a, b, c] { try await store.endLease(relay) }
            try StoreMismatch.check(try await store.claim("s", d).home, is: a, "one of four alive")
            for relay in [a, b] { try await store.age(relay.id, by: store.settings.forgetTime) }
            try StoreMismatch.check(try await store.claim("s", d).home, is: d, "one of two alive")
        },
        StoreBehaviour("each session of a dead relay that several relays claim at once is taken over once") { store in
            let home = try await store.register("z")
            let names = (0..<200).map { "s\($0)" }
            for name in names { try await store.claim(name, home) }
            try await store.endLease(home)
            try await race(store, names: names, term: 2)
            try StoreMismatch.check(try await store.held(home), is: [], "sessions of the dead relay")
        },
    ]
}
