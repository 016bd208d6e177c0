import Cluster
import MediaBase

/// Test that every conformer of `ClusterStore` must pass with an empty store.
package struct StoreBehaviour: Sendable, CustomStringConvertible {
    package let description: String
    /// Throws `StoreMismatch` if the store behaves otherwise.
    package let run: @Sendable (any TestedStore) async throws -> Void

    init(_ description: String, _ run: @escaping @Sendable (any TestedStore) async throws -> Void) {
        self.description = description
        self.run = run
    }

    package static let all = membership + placement + takeOver + state
}

extension StoreBehaviour {
    static let membership = [
        StoreBehaviour("a relay that registers is listed, alive, with its description and load") { store in
            let load = RelayLoad(use: 0.375, isDraining: true)
            let description = SimulatedTestedStore.description("a")
            let answer = try await store.perform(.register(description, load))
            guard case .registered(let identity, let relays) = answer else { throw StoreMismatch("\(answer)") }
            try StoreMismatch.check(relays.count, is: 1, "relays")
            try StoreMismatch.check(relays[0].identity, is: identity, "identity")
            try StoreMismatch.check(relays[0].description, is: description, "description")
            try StoreMismatch.check(relays[0].load, is: load, "load")
            try StoreMismatch.check(relays[0].isAlive, "the relay is not alive")
            try await store.age(identity.id, by: .seconds(500))
            let silence = try await store.relays()[0].silence
            try StoreMismatch.check(silence >= .seconds(500) && silence < .seconds(1_000), "silence \(silence)")
        },
        StoreBehaviour("incarnations grow, also after a relay has left and after a loss of data") { store in
            let first = try await store.register("a")
            let second = try await store.register("a")
            try StoreMismatch.check(second.incarnation > first.incarnation, "\(second) after \(first)")
            try StoreMismatch.check(try await store.relays().map(\.identity), is: [second], "relays")
            _ = try await store.perform(.leave(second))
            let third = try await store.register("a")
            try StoreMismatch.check(third.incarnation > second.incarnation, "\(third) after \(second)")
            try await store.loseData()
            let fourth = try await store.register("a")
            try StoreMismatch.check(fourth.incarnation > third.incarnation, "\(fourth) after \(third)")
        },
        StoreBehaviour("a heartbeat renews the lease, stores the load and returns all relays") { store in
            let b = try await store.register("b"), a = try await store.register("a")
            try await store.endLease(a)
            try await store.endLease(b)
            try StoreMismatch.check(try await store.relays().map(\.isAlive), is: [false, false], "after the lease")
            let answer = try await store.beat(a, RelayLoad(use: 0.5))
            guard case .beaten(let relays) = answer else { throw StoreMismatch("\(answer)") }
            try StoreMismatch.check(relays.map(\.identity), is: [a, b], "relays")
            try StoreMismatch.check(relays.map(\.isAlive), is: [true, false], "after the heartbeat")
            try StoreMismatch.check(relays.map(\.load.use), is: [0.5, 0], "load")
            try StoreMismatch.check(
                relays[0].silence < .seconds(1_000) && relays[1].silence >= .seconds(1_000), "silence")
        },
        StoreBehaviour("a heartbeat of a replaced incarnation is refused and changes nothing") { store in
            let old = try await store.register("a"), new = try await store.register("a")
            try await store.endLease(new)
            let answer = try await store.beat(old, RelayLoad(use: 1))
            try StoreMismatch.check(answer, is: .beatRefused(isReplaced: true), "answer")
            let relay = try await store.relays()[0]
            try StoreMismatch.check(relay.load.use, is: 0, "load")
            try StoreMismatch.check(!relay.isAlive, "the lease was renewed")
        },
        StoreBehaviour("a heartbeat without a row is refused as not replaced") { store in
            let a = try await store.register("a")
            try await store.register("b")
            try await store.loseData()
            try StoreMismatch.check(
                try await store.beat(a), is: .beatRefused(isReplaced: false), "after a loss of data")
            try await store.register("b")
            try StoreMismatch.check(try await store.beat(a), is: .beatRefused(isReplaced: false), "beside another row")
        },
        StoreBehaviour("leaving deletes the caller's row, and not the row of a later incarnation") { store in
            let old = try await store.register("a"), new = try await store.register("a")
            try StoreMismatch.check(try await store.perform(.leave(old)), is: .left, "answer")
            try StoreMismatch.check(try await store.relays().map(\.identity), is: [new], "after the old one left")
            _ = try await store.perform(.leave(new))
            try StoreMismatch.check(try await store.perform(.leave(new)), is: .left, "answer to a repetition")
            try StoreMismatch.check(try await store.relays().count, is: 0, "relays")
        },
    ]
}
