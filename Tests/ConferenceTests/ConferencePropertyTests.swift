import Conference
import MediaBase
import MillraceTestKit
import Signaling
import Testing

@Suite struct ConferencePropertyTests {
    /// After each step all invariants hold, and the state of every connected client equals the session's (STR-5).
    @Test(
        "STR-5 USR-3 TOK-3 whatever happens, all invariants hold and each client's state equals the session's",
        arguments: 1...8)
    func rules(_ seed: UInt64) throws {
        var driver = RandomDriver(seed: seed)
        var sessions = 0
        var steps = 0
        while steps < 3_000 {
            var limits = ConferenceLimits()
            limits.participants = 12
            limits.streams = 10
            limits.subscriptions = 5
            limits.revokedTokens = 8
            let world = try World(limits: limits)
            sessions += 1
            (driver.open, driver.silent) = ([], [])
            while steps < 3_000, world.ended == nil {
                driver.step(world)
                steps += 1
                let violations = world.violations()
                guard violations.isEmpty else {
                    Issue.record("seed \(seed), step \(steps): \(violations.joined(separator: "\n"))")
                    return
                }
                // Closed connections and checked events need no further checks.
                for id in world.closed.keys { (world.clients[id], world.outboxes[id]) = (nil, nil) }
                for id in world.clients.keys { world.clients[id]?.events = [] }
            }
        }
        #expect(sessions < 400)
    }

    @Test("the random runs cover every request, both granted and refused")
    func coverage() throws {
        var driver = RandomDriver(seed: 99)
        for _ in 0..<40 {
            let world = try World()
            (driver.open, driver.silent) = ([], [])
            for _ in 0..<1_000 where world.ended == nil { driver.step(world) }
        }
        let others: Permission = [.token, .resumeToken, .identity, .user]
        let inSession = RequestTable.all.filter { $0.permission.isDisjoint(with: others) }.map { $0.method }
        let random = Set(inSession).subtracting([ReportIssueRequest.method])
        #expect(Set(driver.succeeded.keys) == random)
        #expect(random.subtracting(driver.failed.keys) == [])
        #expect(driver.resumes > 100)
    }

    /// Activity in one of two sessions does not change the other (SES-3).
    @Test("SES-3 nothing of one session reaches another", arguments: 1...6)
    func isolation(_ seed: UInt64) throws {
        var driver = RandomDriver(seed: seed)
        let quiet = try World(app: "quiet")
        let host = try quiet.join("host", .all)
        let stream = try quiet.publish(host)
        let before = (quiet.conference.users, quiet.conference.streams)
        quiet.forgetEvents()
        let busy = try World(app: "busy")
        for _ in 0..<1_000 where busy.ended == nil {
            driver.step(busy)
            for sender in busy.conference.users.map(\.id) where sender != host {
                #expect(
                    code { try busy.request(SubscribeRequest(stream: stream), sender) } != nil
                        || busy.conference.stream(stream) != nil)
            }
        }
        #expect(before == (quiet.conference.users, quiet.conference.streams))
        #expect(quiet.newEvents(host) == [])
    }

    @Test("the same seed gives the same effects")
    func deterministic() throws {
        func run() throws -> [[Effect]] {
            var driver = RandomDriver(seed: 5)
            let world = try World()
            return (0..<400).map { _ in
                driver.step(world)
                return world.lastEffects
            }
        }
        #expect(try run() == run())
    }

    @Test("CON-3 a large session loses all clients but one at once")
    func large() throws {
        var limits = ConferenceLimits()
        limits.participants = 1_500
        // Each change is sent to all clients immediately.
        limits.presenceSharing = .zero
        limits.listedUsers = .max
        limits.usersPage = .max
        var conference = try Conference(
            id: SessionID(rawValue: "1"), app: "", name: "large", limits: limits, now: .zero, wallClock: 0)
        let ids = (0..<1_500).map { ConnectionID(rawValue: "c\($0)") }
        for (index, id) in ids.enumerated() {
            let admission = Admission(
                connection: id, name: "n", capabilities: Capabilities(canPublish: true, canHost: index != 1))
            #expect(try conference.join(admission, now: .zero, wallClock: 0).get().answer.users.count == index + 1)
        }
        let extra = Admission(connection: ConnectionID(rawValue: "x"), name: "n", capabilities: .publisher)
        #expect(throws: SignalingError.self) { try conference.join(extra, now: .zero, wallClock: 0).get() }
        let last = ids[1_499]
        for id in ids where id != last { _ = conference.drop(id, now: .zero) }
        // The remaining client gets one event for each lost client, and the host role does not pass among lost clients.
        let effects = conference.handleTimeout(now: .seconds(30))
        let broadcasts = effects.compactMap {
            if case .broadcast(let audience, let event) = $0 { (Array(audience), event) } else { nil }
        }
        #expect(broadcasts.allSatisfy { $0.0 == [last] })
        #expect(broadcasts.count { $0.1.name == .userLeft } == 1_499)
        #expect(broadcasts.filter { $0.1.name == .hostChanged }.map(\.1) == [.hostChanged(HostChanged(host: last))])
        #expect(broadcasts.count == 1_501)
        #expect(conference.users.map(\.id) == [last])
        #expect(conference.host == last)
    }
}
