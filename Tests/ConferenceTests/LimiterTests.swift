import Conference
import MediaBase
import Signaling
import Testing

@Suite struct LimiterTests {
    private func key(_ name: String) throws -> SessionKey { try SessionKey(app: "app", name: name) }

    @Test("SES-4 five wrong passwords are allowed per minute, address and session")
    func passwords() throws {
        var limiter = PasswordLimiter()
        let room = try key("room")
        for second in 0..<5 {
            let now = MediaTime.seconds(Double(second))
            #expect(code { try limiter.check(address: "192.0.2.1", token: nil, session: room, now: now) } == nil)
            limiter.recordWrong(address: "192.0.2.1", token: nil, session: room, now: now)
        }
        do throws(SignalingError) {
            try limiter.check(address: "192.0.2.1", token: nil, session: room, now: .seconds(10))
            Issue.record("the sixth is allowed")
        } catch {
            #expect(error.code == .rateLimited && error.retryAfter == 50 && error.limit == PasswordLimiter.key)
        }
        #expect(code { try limiter.check(address: "192.0.2.2", token: nil, session: room, now: .seconds(10)) } == nil)
        let other = try key("other")
        #expect(code { try limiter.check(address: "192.0.2.1", token: nil, session: other, now: .seconds(10)) } == nil)
        let soon = MediaTime.seconds(60) - .nanoseconds(1)
        #expect(code { try limiter.check(address: "192.0.2.1", token: nil, session: room, now: soon) } == .rateLimited)
        #expect(code { try limiter.check(address: "192.0.2.1", token: nil, session: room, now: .seconds(60)) } == nil)
        let end = MediaTime.seconds(60)
        limiter.recordWrong(address: "192.0.2.1", token: nil, session: room, now: end)
        #expect(code { try limiter.check(address: "192.0.2.1", token: nil, session: room, now: end) } == .rateLimited)
        #expect(code { try limiter.check(address: "192.0.2.1", token: nil, session: room, now: .seconds(200)) } == nil)
        #expect(limiter.remembered == 0)
    }

    @Test("SES-4 wrong passwords of one token do not lock out other tokens behind the same address")
    func passwordsByToken() throws {
        var limiter = PasswordLimiter()
        let key = try key("session")
        let guesser = TokenFingerprint(rawValue: "guesser")
        for _ in 0..<5 { limiter.recordWrong(address: "192.0.2.1", token: guesser, session: key, now: .zero) }
        func check(_ token: String?, from address: String = "192.0.2.1", at second: Double = 1) -> ErrorCode? {
            let token = token.map(TokenFingerprint.init(rawValue:))
            return code { try limiter.check(address: address, token: token, session: key, now: .seconds(second)) }
        }
        #expect(check("guesser") == .rateLimited)
        #expect(check("guesser", from: "192.0.2.2") == nil)
        #expect(check("other") == nil && check(nil) == nil)
        // A client with many tokens locks its address after 20 times as many guesses.
        for number in 1..<20 {
            #expect(check("other") == nil)
            let token = TokenFingerprint(rawValue: "\(number)")
            for _ in 0..<5 { limiter.recordWrong(address: "192.0.2.1", token: token, session: key, now: .seconds(1)) }
        }
        #expect(check("other") == .rateLimited && check(nil) == .rateLimited)
        #expect(check("other", from: "192.0.2.2") == nil)
        // At 60 s the first five guesses have expired.
        #expect(check("other", at: 60) == nil && check("guesser", at: 60) == nil && check("1", at: 60) == .rateLimited)
        #expect(check("1", at: 61) == nil && limiter.remembered == 0)
    }

    @Test("SES-4 the number of remembered wrong passwords is bounded")
    func bounded() throws {
        var limiter = PasswordLimiter(perMinute: 2, capacity: 10)
        let room = try key("room")
        for number in 0..<1_000 { limiter.recordWrong(address: "\(number)", token: nil, session: room, now: .zero) }
        #expect(limiter.remembered == 10)
        limiter.recordWrong(address: "999", token: nil, session: room, now: .zero)
        #expect(code { try limiter.check(address: "999", token: nil, session: room, now: .zero) } == .rateLimited)
        for number in 0..<9 { limiter.recordWrong(address: "x\(number)", token: nil, session: room, now: .zero) }
        #expect(code { try limiter.check(address: "999", token: nil, session: room, now: .zero) } == nil)
    }

    @Test("a connection may send a hundred messages a second, evenly or in a burst")
    func messages() throws {
        var rate = MessageRate(now: .zero)
        for _ in 0..<100 { #expect(code { try rate.admit(now: .zero) } == nil) }
        #expect(code { try rate.admit(now: .zero) } == .rateLimited)
        #expect(code { try rate.admit(now: .milliseconds(9)) } == .rateLimited)
        #expect(code { try rate.admit(now: .milliseconds(10)) } == nil)
        #expect(code { try rate.admit(now: .milliseconds(10)) } == .rateLimited)
        // Long silence saves up at most the messages of one second.
        let later = MediaTime.seconds(1_000_000)
        let allowed = (0..<500).count { _ in code { try rate.admit(now: later) } == nil }
        #expect(allowed == 100)
        #expect(code { try rate.admit(now: .zero) } == .rateLimited)
        // Evenly spaced messages for a minute.
        var even = MessageRate(perSecond: 10, now: .zero)
        let passed = (0..<1_200).count { index in
            code { try even.admit(now: .milliseconds(Int64(index) * 50)) } == nil
        }
        #expect((600...610).contains(passed))
    }

    @Test("sessions and connections of a relay are bounded")
    func directory() throws {
        var limits = DirectoryLimits()
        (limits.sessions, limits.connections) = (2, 3)
        var directory = SessionDirectory<Int>(limits: limits)
        var entries: [SessionDirectory<Int>.Entry] = []
        for number in 0..<2 {
            entries.append(
                try directory.enter(key("\(number)"), newID: SessionID(rawValue: "\(number)")) { _ in number })
        }
        let third = try key("2")
        do throws(SignalingError) {
            _ = try directory.enter(third, newID: SessionID(rawValue: "2")) { _ in 2 }
            Issue.record("a third session")
        } catch {
            #expect(error.code == .limitReached && error.limit == "limit.sessions")
        }
        // Existing sessions can still be entered.
        #expect(try directory.enter(key("1"), newID: SessionID(rawValue: "9")) { _ in 9 }.liveSession == 1)
        for number in 0..<3 {
            try directory.seat(ConnectionID(rawValue: "\(number)"), in: entries[number % 2], resumeKey: "t\(number)")
        }
        #expect(
            code { try directory.seat(ConnectionID(rawValue: "3"), in: entries[0], resumeKey: "t3") } == .limitReached
        )
        directory.unseat(resumeKey: "t0")
        directory.unseat(resumeKey: "t0")
        #expect(code { try directory.seat(ConnectionID(rawValue: "3"), in: entries[0], resumeKey: "t3") } == nil)
        #expect(code { _ = try directory.seat(resumeKey: "t0") } == .resumeExpired)
        #expect(try directory.seat(resumeKey: "t1").session == entries[1].id)
        directory.remove(entries[1].id)
        #expect(directory.seatCount == 2 && directory.count == 1)
        #expect(code { _ = try directory.enter(third, newID: SessionID(rawValue: "2")) { _ in 2 } } == nil)
    }
}
