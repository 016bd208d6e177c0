import MediaBase
import Signaling
import Testing

@testable import MillraceClient

@Suite("Session machine: requests and signals") struct SessionMachineRequestTests {
    @Test("SIG-1 an invalid signal is refused before it is sent") func invalidSignals() {
        var bench = MachineBench()
        bench.enter()
        let before = bench.sent.count
        let signals = [
            SignalRequest(type: "no spaces"), SignalRequest(type: String(repeating: "a", count: 129)),
            SignalRequest(type: "ok", data: String(repeating: "x", count: 8 * 1_024 + 1)),
        ]
        for (ticket, signal) in signals.enumerated() {
            bench.machine.signal(signal, retries: true, ticket: UInt64(ticket), now: bench.now)
        }
        bench.drain()
        #expect(bench.sent.count == before)
        let codes = (0..<3).map { ticket -> ErrorCode? in
            if case .failure(let error) = bench.answers[UInt64(ticket)] { return error.code }
            return nil
        }
        #expect(codes == [.invalidSignalType, .invalidSignalType, .signalDataTooLong])
        let longest = SignalRequest(
            type: String(repeating: "~", count: 128), data: String(repeating: "x", count: 8 * 1_024))
        bench.machine.signal(longest, retries: true, ticket: 7, now: bench.now)
        bench.drain()
        #expect(bench.sent.last?.request as? SignalRequest == longest)
    }

    @Test("State is current when a granted request is answered, and its event is reported when it arrives")
    func granted() {
        let red = SubsessionID(rawValue: "r")
        var bench = MachineBench()
        bench.enter()
        bench.tell(
            .subsessionsChanged(
                SubsessionsChanged(
                    change: .committed,
                    state: SubsessionsState(
                        status: .committed, subsessions: [SubsessionInfo(id: red, name: "Red", users: [])]))))
        var ticket: UInt64 = 0
        func ask(_ request: any RequestBody, isGranted: Bool = true) {
            ticket += 1
            bench.machine.request(request, ticket: ticket, now: bench.now)
            bench.drain()
            if isGranted { bench.reply(.success(Done())) } else { bench.refuse(SignalingError(.notPermitted)) }
        }
        let before = bench.events.count
        ask(LockShareRequest(isLocked: true), isGranted: false)
        #expect(!bench.machine.model.isShareLocked)
        ask(LockShareRequest(isLocked: true))
        ask(ForceMuteAllRequest())
        ask(SetChatAllowedRequest(isAllowed: false))
        ask(StartSubsessionsRequest())
        ask(JoinSubsessionRequest(subsession: red))
        #expect(bench.machine.model.isShareLocked && bench.machine.model.isMuteForced)
        #expect(!bench.machine.model.isChatAllowed && bench.machine.model.subsessions.status == .started)
        #expect(bench.machine.model.ownSubsession == red)
        #expect(bench.events.count == before, "the relay's events tell it")
        let move = SubsessionMove(user: MachineBench.me, to: red)
        bench.tell(.shareLockChanged(ShareLockChanged(isLocked: true)))
        bench.tell(.subsessionUsersChanged(SubsessionUsersChanged(changes: [move])))
        #expect(
            Array(bench.events[before...]) == [
                .shareLockChanged(isLocked: true), .subsessions(.usersChanged([move])),
            ])
        #expect(bench.machine.model.subsessions.subsessions.map(\.users) == [[MachineBench.me]])
        ask(ReturnToMainSessionRequest())
        #expect(bench.machine.model.ownSubsession == nil)
        ask(JoinSubsessionRequest(subsession: red))
        ask(StopSubsessionsRequest())
        ask(DisableForceMuteRequest())
        ask(SetChatAllowedRequest(isAllowed: true))
        #expect(bench.machine.model.ownSubsession == nil && bench.machine.model.subsessions.status == .committed)
        #expect(!bench.machine.model.isMuteForced && bench.machine.model.isChatAllowed)
    }

    @Test("SIG-3 signals are queued while reconnecting, and keep their order") func queued() {
        var bench = MachineBench()
        bench.enter()
        bench.cut()
        let before = bench.sent.count
        for number in 1...5 { bench.signal("\(number)", ticket: UInt64(number)) }
        bench.signal("not this one", retries: false, ticket: 6)
        #expect(bench.sent.count == before)
        #expect(bench.answers.keys.sorted() == [6])
        bench.advanceToOpen()
        bench.open()
        bench.resumed()
        let data = bench.sent.suffix(5).compactMap { message -> String? in
            if let signal = message.request as? SignalRequest { return signal.data }
            return nil
        }
        #expect(data == ["1", "2", "3", "4", "5"])
        for message in bench.sent.suffix(5) { bench.reply(.success(Done()), to: message.id) }
        #expect(bench.answered.suffix(5) == [1, 2, 3, 4, 5])
    }

    @Test("SIG-3 an unanswered signal at the time of the loss is sent first") func underWay() {
        var bench = MachineBench()
        bench.enter()
        bench.signal("1", ticket: 1)
        bench.signal("2", ticket: 2)
        bench.signal("given up", retries: false, ticket: 3)
        bench.reply(.success(Done()), to: bench.sent[bench.sent.count - 3].id)
        bench.cut()
        bench.signal("4", ticket: 4)
        #expect(bench.answered == [1, 3])
        bench.advanceToOpen()
        bench.open()
        bench.resumed()
        let data = bench.sent.suffix(2).compactMap { message -> String? in
            if let signal = message.request as? SignalRequest { return signal.data }
            return nil
        }
        #expect(data == ["2", "4"])
    }

    @Test("SIG-3 the queue of signals is bounded") func bounded() {
        var configuration = SessionConfiguration()
        configuration.signalLimit = 3
        var bench = MachineBench(configuration)
        bench.enter()
        bench.cut()
        for number in 1...5 { bench.signal("\(number)", ticket: UInt64(number)) }
        #expect(bench.answered == [4, 5])
        if case .failure(let error) = bench.answers[4] { #expect(error.code == .limitReached) }
        // Queued signals fail when the session ends.
        bench.machine.leave(endForAll: false, now: bench.now)
        bench.drain()
        #expect(bench.answered == [4, 5, 1, 2, 3])
    }

    @Test func answersFindTheirRequests() {
        var bench = MachineBench()
        bench.enter()
        bench.machine.request(StatisticsRequest(), ticket: 1, now: bench.now)
        bench.machine.request(ReportIssueRequest(), ticket: 2, now: bench.now)
        bench.drain()
        let ids = bench.sent.suffix(2).map(\.id)
        #expect(Set(bench.sent.map(\.id)).count == bench.sent.count)
        bench.reply(.success(ReportIssueRequest.Answer(issue: "i")), to: ids[1])
        bench.reply(.success(StatisticsAnswer()), to: ids[0])
        #expect(bench.answered == [2, 1])
        // An answer to an unknown request has no effect.
        bench.reply(.success(Done()), to: 4_000)
        #expect(bench.machine.refused == 1)
    }

    @Test func aRequestWithoutConnectionFailsAtOnce() {
        var bench = MachineBench()
        bench.machine.request(StatisticsRequest(), ticket: 1, now: bench.now)
        bench.signal("early", ticket: 2)
        for ticket in [UInt64(1), 2] {
            guard case .failure(let error) = bench.answers[ticket] else {
                Issue.record("no failure")
                continue
            }
            #expect(error.code == .notConnected)
        }
    }

    @Test func requestsUnderWayFailWithTheConnection() {
        var bench = MachineBench()
        bench.enter()
        bench.machine.request(StatisticsRequest(), ticket: 1, now: bench.now)
        bench.drain()
        bench.cut()
        guard case .failure(let error) = bench.answers[1] else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == .notConnected)
    }

    @Test func aRequestThatIsNotAnsweredLosesTheConnection() {
        var bench = MachineBench()
        bench.enter()
        bench.machine.request(StatisticsRequest(), ticket: 1, now: bench.now)
        bench.drain()
        for _ in 0..<16 {
            bench.advance(by: .seconds(1))
            if let ping = bench.sent.last, ping.request.method == PingRequest.method {
                bench.reply(.success(Done()), to: ping.id)
            }
        }
        #expect(bench.machine.status == .reconnecting)
    }

    @Test func timesWithoutAnEndLoseNothing() {
        var configuration = SessionConfiguration()
        configuration.connectTimeout = .seconds(Int64.max)
        configuration.requestTimeout = .seconds(Int64.max)
        configuration.pingInterval = .seconds(Int64.max)
        var bench = MachineBench(configuration)
        bench.connect()
        bench.advance(by: .seconds(5))
        bench.open()
        bench.advance(by: .seconds(5))
        bench.joined()
        bench.machine.request(StatisticsRequest(), ticket: 1, now: bench.now)
        bench.drain()
        bench.advance(by: .seconds(5))
        #expect(bench.machine.status == .connected)
        #expect(bench.answers.isEmpty)
    }

    @Test("STR-5 the list of streams is current at every event") func streams() {
        var bench = MachineBench()
        let (a, b) = (MachineBench.stream("a"), MachineBench.stream("b"))
        bench.enter(MachineBench.answer(streams: [a]))
        bench.tell(.streamCreated(StreamCreated(stream: b)))
        #expect(bench.events.last == .streamCreated(b))
        #expect(bench.streamsAtEvent.last == [a.id, b.id])
        var changed = b
        changed.width = 640
        bench.tell(.streamChanged(StreamChanged(stream: changed)))
        #expect(bench.machine.model.streams[b.id]?.width == 640)
        bench.tell(.streamDestroyed(StreamDestroyed(stream: a.id, reason: .unpublished)))
        #expect(bench.events.last == .streamDestroyed(a, .unpublished))
        #expect(bench.streamsAtEvent.last == [b.id])
        // The end of an unknown stream causes no event.
        let count = bench.events.count
        bench.tell(.streamDestroyed(StreamDestroyed(stream: a.id, reason: .unpublished)))
        #expect(bench.events.count == count)
    }

    @Test("USR-3 MUT-3 USR-7 role changes and modes are reported and stored") func modes() {
        var bench = MachineBench()
        let bob = MachineBench.user(MachineBench.bob)
        bench.enter(MachineBench.answer(users: [MachineBench.user(MachineBench.me, role: .host), bob]))
        bench.tell(.hostChanged(HostChanged(host: MachineBench.bob)))
        #expect(bench.machine.model.host == MachineBench.bob)
        #expect(bench.machine.model.users.map(\.role) == [.participant, .host])
        bench.tell(.muteForced(MuteForced(isActive: true)))
        #expect(bench.machine.model.isMuteForced)
        bench.tell(.muteForced(MuteForced(isActive: true, stream: StreamID(rawValue: "mine"), kind: .audio)))
        #expect(bench.events.last == .streamMuteForced(StreamID(rawValue: "mine"), .audio))
        bench.tell(.shareLockChanged(ShareLockChanged(isLocked: true)))
        #expect(bench.machine.model.isShareLocked)
        bench.tell(.userLeft(UserLeft(user: MachineBench.bob, reason: .removed)))
        #expect(bench.machine.model.users.map(\.id) == [MachineBench.me])
    }

    @Test("USR-10 a request to unmute is distinct from an unmute by a moderator") func unmuting() {
        var bench = MachineBench()
        bench.enter()
        bench.tell(.unmuteRequested(UnmuteRequested(from: MachineBench.bob, kind: .audio)))
        #expect(bench.events.last == .unmuteRequested(from: MachineBench.bob, kind: .audio))
        bench.tell(.unmuteRequested(UnmuteRequested(from: MachineBench.bob, kind: .video, isUnmuted: true)))
        #expect(bench.events.last == .unmuted(by: MachineBench.bob, kind: .video))
    }

    @Test func whatCannotBeReadIsCountedAndPassedOver() {
        var bench = MachineBench()
        bench.enter()
        for text in ["", "no json", "[]", "{}", "{\"id\":\"x\"}", "{\"seq\":-1}"] {
            bench.machine.receive(Array(text.utf8), link: bench.link, now: bench.now)
        }
        #expect(bench.machine.refused == 6)
        // An unknown event of a newer relay has a number, too.
        bench.machine.receive(
            Array("{\"seq\":1,\"event\":\"fromTheFuture\",\"data\":{}}".utf8), link: bench.link, now: bench.now)
        bench.drain()
        bench.seq = 1
        bench.tell(MachineBench.text(2))
        #expect(bench.heard == ["2"])
        #expect(bench.machine.status == .connected)
    }
}
