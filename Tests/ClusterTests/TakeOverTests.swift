import Cluster
import ClusterTestKit
import MediaBase
import Signaling
import Testing

@Suite("Sessions that are taken over with their state")
struct TakeOverTests {
    private let id = SessionID(rawValue: "s")
    private let name = MemberHarness.key("a")

    /// Returns relays of which the first one was home relay of the session "s" and has died. The requests of the second one are held back.
    private func afterDeath(settings: ClusterSettings = ClusterSettings()) -> MemberHarness {
        var world = MemberHarness(3, settings: settings)
        world.resolve(0, "a", id: "s")
        world.failing = [0]
        world.pass(6.5)
        world.held = [1]
        return world
    }

    /// Carries out the oldest request that is held back.
    private func perform(_ world: inout MemberHarness) {
        let entry = world.requests.removeFirst()
        world.perform(entry.relay, entry.ticket, entry.request)
    }

    @Test("A client that resumes waits for the end of its home relay's lease, and then its session is taken over")
    func resume() {
        var world = MemberHarness(3)
        world.resolve(0, "a", id: "s")
        #expect(world.resume(1, "s")?.there == "r0")
        world.failing = [0]
        world.pass(3)
        #expect(world.resume(1, "s")?.there == "r0")
        world.pass(3.5)
        #expect(world.resume(1, "s") == .here("s"))
        #expect(world.rows() == ["s/2"])
        #expect(world.resume(2, "s")?.there == "r1")
        #expect(world.resume(1, "t") == .unknown)
    }

    @Test("Clients that resume at the same time, or join by the name, share one take-over")
    func merged() {
        var world = afterDeath()
        for _ in 0..<3 { _ = world.resume(1, "s") }
        perform(&world)
        world.resolve(1, "a")
        #expect(world.requests.count == 1)
        world.release()
        #expect(world.answers(1).count == 4 && Set(world.answers(1).values) == [.here("s")])
        #expect(world.rows() == ["s/2"])
        world.change(1) { member, _ in member.ended(id) }
        #expect(world.members[1].isIdle)
    }

    @Test("Clients that resume join a claim that is under way")
    func claimUnderWay() {
        var world = afterDeath()
        world.resolve(1, "a", id: "t")
        _ = world.resume(1, "s")
        world.release()
        #expect(world.answers(1).values.allSatisfy { $0 == .here("s") } && world.answers(1).count == 2)
        #expect(world.rows() == ["s/2"])
    }

    @Test("A client that resumes is sent to a relay that was quicker")
    func quicker() {
        var world = afterDeath()
        _ = world.resume(1, "s")
        perform(&world)
        #expect(world.resolve(2, "a") == .here("s"))
        world.release()
        #expect(world.answers(1).values.map(\.there) == ["r2"])
        #expect(world.members[1].sessionCount == 0)
    }

    @Test("A session that has ended before the take-over is unknown, and no row is made; its name can be claimed")
    func ended() {
        var world = afterDeath()
        _ = world.resume(1, "s")
        perform(&world)
        world.resolve(2, "a")
        world.change(2) { member, _ in member.ended(id) }
        world.release()
        #expect(Array(world.answers(1).values) == [.unknown])
        #expect(world.rows() == [] && world.members[1].isIdle)
    }

    @Test("If the session has ended before the take-over, clients that wait for its name get a new session")
    func endedWithOthers() {
        var world = afterDeath()
        _ = world.resume(1, "s")
        perform(&world)
        world.resolve(1, "a", id: "t")
        world.resolve(2, "a")
        world.change(2) { member, _ in member.ended(id) }
        world.release()
        #expect(Set(world.answers(1).values) == [.unknown, .here("t")])
        #expect(world.rows() == ["t/1"])
    }

    @Test("A client that resumes a session is not sent to another one of the same name")
    func otherSession() {
        var world = afterDeath()
        world.resolve(1, "a", id: "t")
        _ = world.resume(1, "s")
        let claim = world.requests.removeFirst()
        // The placement of "s" is found before it ends, and the claim is carried out afterwards.
        perform(&world)
        world.resolve(2, "a")
        world.change(2) { member, _ in member.ended(id) }
        world.perform(claim.relay, claim.ticket, claim.request)
        #expect(Set(world.answers(1).values) == [.unknown, .here("t")])
    }

    @Test("The number of clients that wait for a take-over is limited")
    func limit() {
        var settings = ClusterSettings()
        settings.waiting = 2
        var world = afterDeath(settings: settings)
        for _ in 0..<2 { _ = world.resume(1, "s") }
        perform(&world)
        #expect(world.resume(1, "s")?.reason == .tooMany)
        world.release()
        #expect(world.resume(1, "s") == .here("s"))
    }

    @Test("A session whose take-over was not answered is held after the next verification, and ends without clients")
    func lostAnswer() {
        var world = afterDeath()
        _ = world.resume(1, "s")
        perform(&world)
        world.deaf = [1]
        world.release()
        #expect(world.answers(1).values.map(\.reason) == [.storeUnreachable])
        #expect(world.rows() == ["s/2"] && world.session(1, "a") == nil)
        world.deaf = []
        world.pass(2.5)
        #expect(world.session(1, "a") == "s")
        #expect(world.members[1].mayHaveState(id))
        #expect(world.rows() == ["s/2"])
        world.pass(32)
        #expect(world.rows() == [] && world.members[1].isIdle)
    }

    @Test("A client that resumes before that verification gets the session")
    func resumeAfterLostAnswer() {
        var world = afterDeath()
        _ = world.resume(1, "s")
        perform(&world)
        world.deaf = [1]
        world.release()
        world.deaf = []
        #expect(world.resume(1, "s") == .here("s"))
        #expect(world.rows() == ["s/2"])
    }

    @Test("The tenure is that of the store while the session is held, and only a taken-over session may have state")
    func tenure() throws {
        var world = MemberHarness(3)
        world.resolve(0, "a", id: "s")
        let first = try #require(world.members[0].identity), second = try #require(world.members[1].identity)
        #expect(world.members[0].tenure(of: id) == SessionTenure(home: first, term: 1))
        #expect(!world.members[0].mayHaveState(id))
        #expect(world.members[0].key(of: id) == name)
        #expect(world.members[1].tenure(of: id) == nil && world.members[1].key(of: id) == nil)
        world.failing = [0]
        world.pass(6.5)
        world.resolve(1, "a")
        #expect(world.members[1].tenure(of: id) == SessionTenure(home: second, term: 2))
        #expect(world.members[1].mayHaveState(id))
        world.held = [1]
        world.change(1) { member, _ in member.ended(id) }
        #expect(world.members[1].tenure(of: id) == nil && !world.members[1].mayHaveState(id))
    }

    @Test("A session has no tenure from the notice of a loss of data until it is claimed again")
    func tenureAfterLoss() throws {
        var world = MemberHarness(1)
        world.resolve(0, "a", id: "s")
        world.change(0) { member, _ in member.opened(id) }
        world.store.loseData()
        world.held = [0]
        world.pass(1.2)
        perform(&world)
        #expect(world.members[0].tenure(of: id) == nil, "the heartbeat was refused")
        perform(&world)
        #expect(world.members[0].identity != nil && world.members[0].tenure(of: id) == nil, "registered")
        world.release()
        let again = try #require(world.members[0].identity)
        #expect(world.members[0].tenure(of: id) == SessionTenure(home: again, term: 2))
        #expect(!world.members[0].mayHaveState(id), "its state is in memory")
    }

    @Test("A relay whose save is refused finds out at once that it has lost the session")
    func refusedAfterTakeOver() throws {
        var world = MemberHarness(2)
        world.resolve(0, "a", id: "s")
        let tenure = try #require(world.members[0].tenure(of: id))
        // A database that failed over has lost the latest heartbeats of the home relay.
        world.store.age(tenure.home.id, by: .seconds(10))
        world.pass(0.1)
        let other = try #require(world.members[1].identity)
        _ = world.store.perform(.takeOver(id, home: other), now: world.now)
        #expect(world.store.perform(.save(id, tenure, SessionChanges(essence: "e")), now: world.now) == .saveRefused)
        world.change(0) { $0.saveRefused(id, tenure, now: $1) }
        #expect(world.members[0].deadline <= world.now)
        world.change(0) { $0.handleTimeout(now: $1) }
        #expect(world.effects[0].contains(.superseded(name, id)))
        #expect(world.members[0].tenure(of: id) == nil)
    }

    @Test("A relay whose save is refused after a loss of data claims its session again at once")
    func refusedAfterLoss() throws {
        var world = MemberHarness(1)
        world.resolve(0, "a", id: "s")
        let tenure = try #require(world.members[0].tenure(of: id))
        world.store.loseData()
        world.change(0) { $0.saveRefused(id, tenure, now: $1) }
        world.change(0) { $0.handleTimeout(now: $1) }
        #expect(world.rows() == ["s/2"])
        #expect(world.members[0].tenure(of: id)?.term == 2)
        let deadline = world.members[0].deadline
        #expect(deadline > world.now)
        world.change(0) { $0.saveRefused(id, tenure, now: $1) }
        #expect(world.members[0].deadline == deadline, "the tenure is an earlier one")
    }
}
