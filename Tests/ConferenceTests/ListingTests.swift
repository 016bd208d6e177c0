import Conference
import MediaBase
import MillraceTestKit
import Signaling
import Testing

/// Batched joins and leaves, pages of users, and users that are only counted.
@Suite struct ListingTests {
    private func world(listed: Int = 500, page: Int = 100) throws -> World {
        var limits = ConferenceLimits()
        limits.listedUsers = listed
        limits.usersPage = page
        return try World(limits: limits, sharesPresence: true)
    }

    private func changes(_ events: [Event]) -> [UsersChanged] {
        events.compactMap { if case .usersChanged(let body) = $0 { body } else { nil } }
    }

    @Test("USR-1 users that join within 100 ms are announced by one event, and not earlier")
    func together() throws {
        let world = try world()
        let host = try world.join("host", .hostCapable)
        let first = try world.join()
        var joined = [first]
        for _ in 0..<49 {
            world.now += .milliseconds(2)
            joined.append(try world.join())
        }
        #expect(world.newEvents(host) == [])
        #expect(world.conference.deadline == .milliseconds(100))
        world.pass(.milliseconds(2) - .nanoseconds(1))
        #expect(world.newEvents(host) == [])
        world.pass(.nanoseconds(1))
        let events = world.newEvents(host)
        #expect(events.count == 1)
        #expect(changes(events).first?.joined.map(\.id) == joined)
        #expect(changes(events).first?.count == 51)
        #expect(world.lastEffects.count == 1)
        #expect(world.conference.deadline == .never)
        #expect(world.violations() == [])
    }

    @Test("USR-1 a user that joins or leaves alone is announced by the event for one user")
    func alone() throws {
        let world = try world()
        let a = try world.join()
        let b = try world.join()
        world.pass(.milliseconds(100))
        #expect(world.names(a) == [.userJoined])
        #expect(world.names(b) == [])
        try world.request(LeaveRequest(), b)
        #expect(world.conference.deadline == .milliseconds(200))
        world.pass(.milliseconds(100))
        #expect(world.events(a).last == .userLeft(UserLeft(user: b, reason: .left)))
        #expect(world.violations() == [])
    }

    @Test("USR-1 users that leave within 100 ms are announced by one event, also those that joined in that time")
    func leavingTogether() throws {
        let world = try world()
        let a = try world.join()
        let gone = try (0..<20).map { _ in try world.join() }
        world.pass(.milliseconds(100))
        world.forgetEvents()
        let brief = try world.join()
        // The join answer of `witness` lists `brief`, so `witness` has to be told that it left.
        let witness = try world.join()
        for id in gone { try world.request(LeaveRequest(), id) }
        try world.request(LeaveRequest(), brief)
        world.pass(.milliseconds(100))
        let events = world.newEvents(a)
        #expect(events.map(\.name) == [.usersChanged])
        #expect(changes(events).first?.joined.map(\.id) == [witness])
        #expect(Set(changes(events).first?.left.map(\.user) ?? []) == Set(gone + [brief]))
        #expect(changes(events).first?.count == 2)
        world.deliverAll()
        #expect(world.clients[witness]?.users.map(\.id) == [a, witness])
        #expect(world.violations() == [])
    }

    @Test("STR-2 a user is announced before any other event about it, and only once")
    func introduced() throws {
        let world = try world()
        let a = try world.join("a", .hostCapable)
        let others = try (0..<3).map { _ in try world.join() }
        try world.request(SignalRequest(type: "t"), others[0])
        #expect(world.newEvents(a).map(\.name) == [.usersChanged, .signal])
        let publisher = try world.join()
        try world.publish(publisher)
        #expect(world.newEvents(a).map(\.name) == [.userJoined, .streamCreated, .userChanged])
        let renamed = try world.join()
        try world.request(RenameRequest(user: renamed, name: "new"), renamed)
        #expect(world.newEvents(a).map(\.name) == [.userJoined, .userChanged])
        world.pass(.seconds(1))
        #expect(world.newEvents(a) == [])
        #expect(world.violations() == [])
    }

    @Test("SES-7 the join answer is paged, and its pages together list each user once")
    func pages() throws {
        let world = try world(page: 10)
        var all: [ConnectionID] = []
        var streams: Set<StreamID> = []
        for index in 0..<34 {
            all.append(try world.join())
            if index % 3 == 0 { streams.insert(try world.publish(all[index])) }
        }
        let last = try world.join()
        let client = try #require(world.clients[last])
        #expect(client.users.map(\.id) == Array(all.prefix(10)) + [last])
        #expect(client.streams.count == 4 && client.userCount == 35)
        var listed = client.users.dropLast().map(\.id)
        var seen = Set(client.streams.map(\.id))
        var next = client.nextPage
        while let after = next {
            guard let page = try world.request(UsersRequest(after: after), last) else { return }
            #expect(page.users.count <= 10)
            #expect(page.streams.allSatisfy { stream in page.users.contains { $0.id == stream.connection } })
            listed += page.users.map(\.id)
            seen.formUnion(page.streams.map(\.id))
            next = page.nextPage
        }
        #expect(listed == all + [last] && seen == streams)
        // Users that leave between two pages move no one to another page.
        try world.request(LeaveRequest(), all[3])
        guard let page = try world.request(UsersRequest(after: 10), last) else { return }
        #expect(page.users.map(\.id) == Array(all[10..<20]))
        guard let none = try world.request(UsersRequest(after: .max), last) else { return }
        #expect(none.users.isEmpty && none.streams.isEmpty && none.nextPage == nil)
    }

    @Test("USR-1 from the configured size on, users with neither stream nor role are counted")
    func counted() throws {
        let world = try world(listed: 10)
        let host = try world.join("host", .hostCapable)
        let speaker = try world.join()
        try world.publish(speaker)
        let plain = try (0..<7).map { _ in try world.join() }
        world.pass(.milliseconds(100))
        world.deliverAll()
        #expect(!world.conference.isCounting && world.clients[host]?.users.count == 9)
        world.forgetEvents()
        let tenth = try world.join()
        #expect(world.conference.isCounting)
        #expect(world.clients[tenth]?.users.map(\.id) == [host, speaker, tenth])
        #expect(world.clients[tenth]?.userCount == 10)
        world.pass(.milliseconds(100))
        let told = changes(world.newEvents(host))
        #expect(told == [UsersChanged(unlisted: plain, count: 10)])
        world.deliverAll()
        #expect(world.clients[plain[0]]?.users.map(\.id) == [host, speaker, plain[0]])

        // From here on a join only changes the count that other clients get.
        let more = try (0..<30).map { _ in try world.join() }
        world.pass(.milliseconds(100))
        #expect(world.newEvents(host) == [.usersChanged(UsersChanged(count: 40))])
        // A counted user is listed while it has a stream or a role.
        let stream = try world.publish(more[3])
        #expect(world.newEvents(host).map(\.name) == [.usersChanged, .streamCreated, .userChanged])
        world.deliverAll()
        #expect(world.clients[tenth]?.users.map(\.id) == [host, speaker, tenth, more[3]])
        try world.request(UnpublishRequest(stream: stream), more[3])
        world.pass(.milliseconds(100))
        #expect(changes(world.newEvents(host)).last?.unlisted == [more[3]])
        // Events about a counted user are sent to that user only.
        try world.request(RenameRequest(user: more[4], name: "new"), more[4])
        world.drop(more[5])
        #expect(world.newEvents(host) == [])
        #expect(world.newEvents(more[4]).last?.name == .userChanged)
        try world.request(ChatRequest(text: "hello"), more[4])
        let names = world.newEvents(host).map { event -> String? in
            if case .chat(let message) = event { return message.name }
            return nil
        }
        #expect(names == ["new"])

        // Below half the configured size all users are listed again.
        for id in more + [tenth] + plain.prefix(2) where id != more[5] {
            try world.request(LeaveRequest(), id)
        }
        world.pass(.milliseconds(100))
        #expect(world.conference.isCounting)
        world.carryOut(world.conference.disconnect(more[5], reason: .left, now: world.now))
        for id in plain[2...4] { try world.request(LeaveRequest(), id) }
        world.pass(.milliseconds(100))
        #expect(!world.conference.isCounting)
        world.deliverAll()
        #expect(world.clients[host]?.userCount == 4)
        #expect(Set(world.clients[host]?.users.map(\.id) ?? []) == [host, speaker, plain[5], plain[6]])
        #expect(world.allFaults() == [])
    }

    @Test("USR-1 joins are announced less often in a large session, so a join costs as many messages at any size")
    func pace() throws {
        var limits = ConferenceLimits()
        limits.presenceMessagesPerSecond = 100
        limits.listedUsers = 20
        let world = try World(limits: limits, sharesPresence: true)
        let ids = try (0..<50).map { _ in try world.join() }
        world.pass(.seconds(1))
        world.forgetEvents()
        for _ in 0..<10 {
            try world.join()
            world.pass(.milliseconds(50))
        }
        // 51 clients at 100 messages a second: one event in 510 ms.
        #expect(world.newEvents(ids[0]) == [])
        world.pass(.milliseconds(10))
        #expect(world.newEvents(ids[0]) == [.usersChanged(UsersChanged(count: 60))])
    }

    /// Regression test for a quadratic cost: each join sent one message to every user, and its answer listed all of them.
    @Test("USR-1 a join of a large session causes as many messages, and as long an answer, as one of a small session")
    func cost() throws {
        let world = try world()
        try world.join("host", .hostCapable)
        for size in [1_000, 2_500, 5_000] {
            try join(world, size - world.conference.participantCount)
            let before = world.eventsTold
            #expect(try join(world, 500) == 2)
            // At 10,000 messages and 2,000 joins a second: 5 messages a join, plus one event to all clients that may fall into that time.
            #expect(world.eventsTold - before <= 500 * 5 + size + 500)
        }
    }

    /// Joins `count` users at 2,000 a second.
    /// - Returns: number of users that the last answer listed.
    @discardableResult
    private func join(_ world: World, _ count: Int) throws -> Int {
        var last = ConnectionID(rawValue: "")
        for _ in 0..<count {
            last = try world.join()
            world.pass(.nanoseconds(500_000))
        }
        return world.clients[last]?.users.count ?? 0
    }

    /// Random joins, leaves, publications and roles; clients have the session's state whenever no event is pending.
    @Test(
        "STR-5 USR-1 clients of a session near the listing limit know the listed users and the number of all users",
        arguments: 1...6)
    func random(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func below(_ count: Int) -> Int { random.below(count) }
        var limits = ConferenceLimits()
        limits.listedUsers = 12
        limits.usersPage = 1_000
        let world = try World(limits: limits, sharesPresence: true)
        let host = try world.join("host", .hostCapable)
        for step in 0..<600 {
            let users = world.conference.users.map(\.id).filter { $0 != host }
            let user = users.isEmpty ? nil : users[below(users.count)]
            // Alternating phases of growth above the limit and of shrinking below half of it.
            let grows = step / 60 % 2 == 0
            switch below(10) {
            case 0...4:
                if grows {
                    try world.join("u", .hostCapable)
                } else if let user {
                    try world.request(LeaveRequest(), user)
                }
            case 5: if let user { _ = try? world.publish(user) }
            case 6:
                if let stream = world.conference.streams.first {
                    try world.request(UnpublishRequest(stream: stream.id), stream.connection)
                }
            case 7:
                if let user {
                    let request = SetManagerRequest(user: user, isManager: below(2) == 0)
                    try world.request(request, host)
                }
            default: world.pass(.milliseconds(Int64(below(60))))
            }
            guard step % 10 == 9 else { continue }
            world.pass(.milliseconds(100))
            world.deliverAll()
            let all = world.conference.users
            let plain = Set(
                all.filter { user in
                    user.role == .participant && !world.conference.streams.contains { $0.connection == user.id }
                }.map(\.id))
            for (id, client) in world.clients where world.closed[id] == nil {
                let listed = all.filter { !world.conference.isCounting || !plain.contains($0.id) || $0.id == id }
                try #require(
                    Set(client.users) == Set(listed), "seed \(seed), step \(step): users of \(id)")
                try #require(client.userCount == all.count, "seed \(seed), step \(step): count at \(id)")
            }
            try #require(world.allFaults() == [])
        }
    }
}
