import Cluster
import ClusterTestKit
import MediaBase
import Signaling
import Testing

@Suite("Membership of a relay")
struct ClusterMemberTests {
    @Test("A relay acts until half a second before the end of its lease, and asks the others before")
    func lease() {
        var world = MemberHarness(2)
        world.resolve(0, "a", id: "s")
        world.failing = [0]
        world.effects[0] = []
        // The last answered heartbeat was sent at most 1 s ago.
        world.pass(3.4)
        #expect(world.acts(0))
        #expect(world.effects[0].contains(.ask([MemberHarness.description(1)])))
        world.pass(1.2)
        #expect(!world.acts(0))
        #expect(world.effects[0].contains(.acts(false)))
        #expect(world.resolve(0, "a")?.reason == .unconfirmed)
        #expect(world.resolve(0, "b")?.reason == .storeUnreachable)
    }

    @Test("A relay continues while all others have said in time that they do not reach the store")
    func storeDown() {
        var world = MemberHarness(3)
        world.resolve(0, "a", id: "s")
        world.failing = [0]
        world.passWithAnswers(25, of: 0)
        #expect(world.acts(0))
        #expect(world.resolve(0, "a") == .here("s"))
        world.pass(2.5)
        #expect(!world.acts(0), "the answers are too old")
        world.passWithAnswers(5, of: 0)
        #expect(!world.acts(0), "another relay may have taken the session over")
    }

    @Test("A relay stops when one of the others reaches the store")
    func minority() {
        var world = MemberHarness(3)
        world.resolve(0, "a", id: "s")
        world.failing = [0]
        world.passWithAnswers(10, of: 0)
        #expect(world.acts(0))
        world.change(0) { $0.relayAnswered(RelayID(rawValue: "r2"), reachesStore: true, now: $1) }
        #expect(!world.acts(0))
    }

    @Test("Answers that arrive after the end of the lease in the store are too late")
    func lateAnswers() {
        var world = MemberHarness(2)
        world.resolve(0, "a", id: "s")
        world.failing = [0]
        world.pass(5.5)
        world.passWithAnswers(5, of: 0)
        #expect(!world.acts(0))
    }

    @Test(
        "A relay whose heartbeats are not answered says that it does not reach the store, unless a claim is under way")
    func reachesStore() throws {
        var world = MemberHarness(2)
        world.held = [0]
        world.resolve(0, "a")
        world.pass(4)
        #expect(world.members[0].reachesStore(world.now))
        let claim = try #require(world.requests.first { if case .claim = $0.request { true } else { false } })
        world.change(0) { $0.answered(claim.ticket, .failure(StoreFailure("lost")), now: $1) }
        #expect(!world.members[0].reachesStore(world.now))
        #expect(world.members[1].reachesStore(world.now))
    }

    @Test("A relay that reaches the store again sends no claim while others may rely on its silence")
    func delayedClaims() {
        var world = MemberHarness(2)
        world.failing = [0, 1]
        world.pass(10)
        world.failing = [1]
        world.pass(2)
        #expect(world.members[0].reachesStore(world.now))
        #expect(world.resolve(0, "a")?.reason == .storeUnreachable)
        world.pass(5)
        #expect(world.resolve(0, "a", id: "s") == .here("s"))
    }

    @Test("After an interruption of the lease, a relay verifies its sessions before it acts")
    func verification() {
        var world = MemberHarness(3)
        world.resolve(0, "a", id: "s")
        world.failing = [0]
        world.pass(6)
        #expect(world.resolve(1, "a") == .here("s"))
        world.failing = []
        world.held = [0]
        world.pass(1)
        // The heartbeat is answered, the verification is not yet.
        let beat = world.requests.removeFirst()
        world.perform(0, beat.ticket, beat.request)
        #expect(world.members[0].reachesStore(world.now))
        #expect(!world.acts(0), "the store has not confirmed the sessions")
        world.release()
        #expect(world.acts(0))
        #expect(world.effects[0].contains(.superseded(MemberHarness.key("a"), SessionID(rawValue: "s"))))
        #expect(world.resolve(0, "a")?.there == "r1")
    }

    @Test("A verification from before another interruption of the lease confirms nothing")
    func staleVerification() throws {
        var world = MemberHarness(3)
        world.resolve(0, "a", id: "s")
        world.failing = [0]
        world.pass(6)
        world.failing = []
        world.held = [0]
        world.pass(1)
        let beat = world.requests.removeFirst()
        world.perform(0, beat.ticket, beat.request)
        let verification = try #require(world.requests.first)
        let answer = world.store.perform(verification.request, now: world.now)
        world.requests = []
        // The heartbeats of the next 6 s fail, and another relay takes the session over.
        for _ in 0..<6 {
            world.pass(1)
            for entry in world.requests {
                world.change(0) { $0.answered(entry.ticket, .failure(StoreFailure("lost")), now: $1) }
            }
            world.requests = []
        }
        #expect(world.resolve(1, "a") == .here("s"))
        world.pass(1)
        let next = world.requests.removeFirst()
        world.perform(0, next.ticket, next.request)
        world.change(0) { $0.answered(verification.ticket, .success(answer), now: $1) }
        #expect(!world.acts(0))
        world.release()
        #expect(world.acts(0) && world.session(0, "a") == nil)
    }

    @Test("After a loss of the store's data, a home relay claims its sessions again under the next term")
    func lossOfData() {
        var world = MemberHarness(2)
        world.resolve(0, "a", id: "s")
        world.change(0) { member, _ in member.opened(SessionID(rawValue: "s")) }
        world.store.loseData()
        world.pass(2)
        #expect(world.rows() == ["s/2"])
        #expect(world.acts(0))
        #expect(world.resolve(1, "a")?.reason == .storeUnreachable, "other home relays may not have claimed yet")
        world.pass(5)
        #expect(world.resolve(1, "a")?.there == "r0")
    }

    @Test("A relay that did not hold its lease before a loss of data claims its sessions after the others")
    func lossAfterInterruption() {
        var world = MemberHarness(3)
        world.resolve(0, "a", id: "s")
        world.failing = [0]
        world.pass(6)
        #expect(world.resolve(1, "a") == .here("s"))
        world.store.loseData()
        world.failing = [1, 2]
        world.pass(1.5)
        #expect(!world.acts(0))
        world.failing = []
        world.pass(8)
        #expect(world.acts(1) && world.session(1, "a") == "s")
        #expect(world.rows() == ["s/3"])
        #expect(world.members[0].sessionCount == 0)
    }

    @Test("A relay that has not noticed a loss of data cannot claim a session that another one runs")
    func unnoticedLoss() {
        var world = MemberHarness(2)
        world.resolve(0, "a", id: "s")
        world.store.loseData()
        #expect(world.resolve(1, "a")?.reason == .storeUnreachable)
        #expect(world.rows() == [])
        world.pass(1.2)
        #expect(world.rows() == ["s/2"])
    }

    @Test("A relay that is alone continues without the store, unless its process was stopped")
    func stopped() {
        var world = MemberHarness(1)
        world.resolve(0, "a", id: "s")
        world.failing = [0]
        world.pass(20)
        #expect(world.acts(0))
        world.now += .seconds(5)
        #expect(!world.acts(0))
        world.pass(5)
        #expect(!world.acts(0), "another relay may have taken the session over")
        world.failing = []
        world.pass(1.2)
        #expect(world.acts(0))
    }

    @Test("A relay whose row the store has lost still has to confirm that the store is down")
    func lostRow() {
        var world = MemberHarness(2)
        world.resolve(0, "a", id: "s")
        world.failing = [1]
        world.store.loseData()
        world.pass(2)
        #expect(world.acts(0) && world.members[0].table.all.count == 1)
        world.failing = [0, 1]
        world.pass(6)
        #expect(!world.acts(0))
    }

    @Test("A relay whose id another process uses is no longer a member")
    func replaced() {
        var world = MemberHarness(2)
        world.resolve(0, "a", id: "s")
        _ = world.store.perform(.register(MemberHarness.description(0), RelayLoad()), now: world.now)
        world.pass(1.5)
        #expect(world.effects[0].contains(.replaced))
        #expect(world.members[0].identity == nil && !world.acts(0))
        #expect(world.resolve(0, "a")?.reason == .notMember)
        #expect(world.members[0].deadline == .never)
    }

    @Test("Sessions of a relay that leaves can be taken over at once, and its waiting clients are refused")
    func leave() {
        var world = MemberHarness(2)
        world.resolve(0, "a", id: "s")
        world.held = [0]
        world.resolve(0, "b")
        world.change(0) { member, _ in member.leave() }
        #expect(world.answers(0).values.contains { $0.reason == .notMember })
        #expect(!world.acts(0) && world.resolve(0, "a")?.reason == .notMember)
        world.release()
        #expect(world.resolve(1, "a") == .here("s"))
    }

    @Test("A relay whose registration fails tries again, and is no member until then")
    func registration() {
        var world = MemberHarness(1, failing: [0])
        #expect(world.members[0].identity == nil && world.members[0].storeFailure != nil)
        #expect(world.resolve(0, "a")?.reason == .notMember)
        world.failing = []
        world.pass(1.1)
        #expect(world.acts(0) && world.members[0].storeFailure == nil)
        #expect(world.resolve(0, "a", id: "s") == .here("s"))
    }
}
