import Cluster
import ClusterTestKit
import MediaBase
import Signaling
import Testing

@Suite("Home relays of sessions")
struct HomeRelayTests {
    @Test("The first relay that is asked becomes the home relay, and the others name it")
    func first() {
        var world = MemberHarness(3)
        #expect(world.resolve(1, "a", id: "s") == .here("s"))
        #expect(world.resolve(0, "a")?.there == "r1")
        #expect(world.resolve(1, "A") == .here("s"))
        #expect(world.resume(2, "s")?.there == "r1")
        #expect(world.resume(1, "s") == .here("s"))
        #expect(world.resume(2, "t") == .unknown)
    }

    @Test("Clients that ask for one name at the same time share one claim")
    func merged() {
        var world = MemberHarness(1)
        world.held = [0]
        for _ in 0..<5 { world.resolve(0, "a") }
        #expect(world.requests.count == 1)
        world.release()
        #expect(world.answers(0).count == 5 && Set(world.answers(0).values).count == 1)
        #expect(world.members[0].sessionCount == 1)
    }

    @Test("A claim whose answer was lost leaves no row behind")
    func lostAnswer() {
        var world = MemberHarness(1)
        world.deaf = [0]
        #expect(world.resolve(0, "a", id: "s")?.reason == .storeUnreachable)
        #expect(world.rows() == ["s/1"])
        world.deaf = []
        world.pass(2.5)
        #expect(world.rows() == [])
        #expect(world.members[0].isIdle)
    }

    @Test("A client that asks while a row without a session is ended gets a new session after that")
    func claimDuringCleaning() {
        var world = MemberHarness(1)
        world.deaf = [0]
        world.resolve(0, "a", id: "s")
        world.deaf = []
        world.held = [0]
        world.pass(1)
        // The heartbeat and the verification are answered; the end of the row is under way.
        for _ in 0..<2 {
            let entry = world.requests.removeFirst()
            world.perform(0, entry.ticket, entry.request)
        }
        #expect(world.requests.count == 1)
        #expect(world.resolve(0, "a", id: "t") == nil)
        world.release()
        #expect(world.rows() == ["t/1"])
        #expect(world.session(0, "a") == "t")
    }

    @Test("A session that no client opens ends, and one that is used stays")
    func unopened() {
        var world = MemberHarness(1)
        world.resolve(0, "a", id: "s")
        world.resolve(0, "b", id: "t")
        world.change(0) { member, _ in member.opened(SessionID(rawValue: "t")) }
        world.pass(32)
        #expect(world.rows() == ["t/1"])
        world.change(0) { member, _ in member.ended(SessionID(rawValue: "t")) }
        #expect(world.rows() == [] && world.members[0].isIdle)
    }

    @Test("A client that asks while the session ends gets a new session after the end")
    func ending() {
        var world = MemberHarness(1)
        world.resolve(0, "a", id: "s")
        world.held = [0]
        world.change(0) { member, _ in member.ended(SessionID(rawValue: "s")) }
        #expect(world.resolve(0, "a", id: "t") == nil)
        #expect(world.resume(0, "s") == .unknown)
        world.release()
        #expect(world.rows() == ["t/1"])
        #expect(world.answers(0).values.contains(.here("t")))
    }

    @Test("A client does not wait for the repeat of an end that failed")
    func failedEnd() {
        var world = MemberHarness(1)
        world.resolve(0, "a", id: "s")
        world.failing = [0]
        world.change(0) { member, _ in member.ended(SessionID(rawValue: "s")) }
        #expect(world.resolve(0, "a")?.reason == .storeUnreachable)
        world.failing = []
        world.pass(1.2)
        #expect(world.rows() == [] && world.members[0].isIdle)
        #expect(world.resolve(0, "a", id: "t") == .here("t"))
    }

    @Test("Clients that wait for the end of a session are answered after a loss of the store's data")
    func endAndLoss() {
        var world = MemberHarness(1)
        world.resolve(0, "a", id: "s")
        world.held = [0]
        world.change(0) { member, _ in member.ended(SessionID(rawValue: "s")) }
        world.resolve(0, "a", id: "t")
        let asked = world.answers(0).count
        let end = world.requests.removeFirst()
        world.held = []
        world.store.loseData()
        world.pass(2)
        #expect(world.answers(0).count == asked + 1)
        world.perform(0, end.ticket, end.request)
        #expect(world.members[0].isIdle)
    }

    @Test("The number of waiting clients is limited")
    func limit() {
        var settings = ClusterSettings()
        settings.waiting = 3
        var world = MemberHarness(1, settings: settings)
        world.held = [0]
        #expect(world.resolve(0, "a") == nil)
        #expect(world.resume(0, "x") == nil)
        #expect(world.resolve(0, "b", isLookup: true) == nil)
        #expect(world.resolve(0, "a")?.reason == .tooMany)
        #expect(world.resume(0, "y")?.reason == .tooMany)
        world.release()
        #expect(world.resolve(0, "c") != nil)
    }

    @Test(
        "A busy relay prefers the least loaded relay of its region for a new session, and names the home relay of others"
    )
    func busy() {
        var world = MemberHarness(4, regions: ["x", "x", "x", "y"])
        let uses = [0.9, 0.5, 0.3, 0.1]
        for relay in 0..<4 { world.change(relay) { member, _ in member.note(RelayLoad(use: uses[relay])) } }
        world.pass(2.2)
        #expect(world.resolve(1, "a", id: "s") == .here("s"))
        #expect(world.resolve(0, "a")?.there == "r1")
        #expect(world.resolve(0, "b")?.there == "r2")
        #expect(world.resolve(2, "b", id: "t", isProxied: true) == .here("t"))
        #expect(world.resolve(0, "c", id: "u", isProxied: true) == .here("u"), "the other relay has chosen it")
    }

    @Test("A draining relay takes new sessions only if there is no other")
    func draining() {
        var world = MemberHarness(2)
        world.change(0) { member, _ in member.note(RelayLoad(isDraining: true)) }
        world.pass(1.2)
        #expect(world.resolve(0, "a")?.there == "r1")
        world.change(1) { member, _ in member.note(RelayLoad(isDraining: true)) }
        world.pass(2.2)
        #expect(world.resolve(0, "b", id: "s") == .here("s"))
    }

    @Test("A look-up makes no session, and is answered by `here` only while the relay may act")
    func lookUp() {
        var world = MemberHarness(2)
        #expect(world.resolve(0, "a", isLookup: true) == .unknown)
        world.resolve(1, "a", id: "s")
        #expect(world.resolve(0, "a", isLookup: true)?.there == "r1")
        #expect(world.resolve(1, "a", isLookup: true) == .here("s"))
        world.failing = [1]
        world.pass(5.5)
        #expect(world.resolve(1, "a", isLookup: true)?.reason == .unconfirmed)
    }

    @Test("A relay that names the wrong home relay is corrected")
    func forgotten() throws {
        var world = MemberHarness(3)
        world.resolve(1, "a", id: "s")
        #expect(world.resolve(0, "a")?.there == "r1")
        world.change(1) { member, _ in member.ended(SessionID(rawValue: "s")) }
        world.resolve(2, "a", id: "t")
        #expect(world.resolve(0, "a")?.there == "r1")
        let home = try #require(world.members[1].identity)
        world.change(0) { member, _ in member.forget(MemberHarness.key("a"), at: home) }
        #expect(world.resolve(0, "a")?.there == "r2")
    }

    @Test("A request that another relay proxies is answered by the store, not by an outdated placement")
    func outdated() {
        var world = MemberHarness(3)
        world.resolve(1, "a", id: "s")
        #expect(world.resolve(2, "a")?.there == "r1")
        world.change(1) { member, _ in member.ended(SessionID(rawValue: "s")) }
        #expect(world.resolve(2, "a")?.there == "r1")
        #expect(world.resolve(2, "a", id: "t", isProxied: true) == .here("t"))
    }

    @Test("Sessions of a relay that has died are taken over after its lease, if half of the relays are alive")
    func takeOver() {
        var world = MemberHarness(3)
        world.resolve(0, "a", id: "s")
        world.failing = [0, 2]
        world.pass(6.5)
        #expect(world.resolve(1, "a")?.reason == .homeLost)
        let lost = world.effects[1].compactMap { if case .relayLost(let lost) = $0 { lost.id.rawValue } else { nil } }
        #expect(lost.sorted() == ["r0", "r2"])
        world.failing = [0]
        world.pass(1.2)
        #expect(world.resolve(1, "a") == .here("s"))
        #expect(world.rows() == ["s/2"])
    }

    @Test("No relay is lost because the store was away for all, and one that stays away is")
    func storeWasAway() {
        func lost(_ effects: [ClusterEffect]) -> [String] {
            effects.compactMap { if case .relayLost(let lost) = $0 { lost.id.rawValue } else { nil } }
        }
        var world = MemberHarness(3)
        world.failing = [0, 1, 2]
        world.pass(8)
        world.failing = [0, 2]
        world.pass(1.5)
        world.failing = [2]
        world.pass(1.5)
        #expect(lost(world.effects[1]) == [])
        world.pass(7)
        #expect(lost(world.effects[1]) == ["r2"])
    }
}
