import MediaBase
import Signaling
import Testing

@testable import MillraceClient

@Suite("Session machine: joining and leaving") struct SessionMachineJoiningTests {
    @Test("CON-1 CON-2 joining reports the status, then the participants who are already present") func joins() {
        var bench = MachineBench()
        #expect(bench.machine.status == .notConnected)
        let me = MachineBench.user(MachineBench.me, role: .host)
        let bob = MachineBench.user(MachineBench.bob)
        let stream = MachineBench.stream("camera")
        bench.connect()
        #expect(bench.machine.status == .connecting)
        #expect(bench.machine.model.capabilities == nil)
        bench.open()
        #expect(bench.isJoin(bench.sent.last))
        bench.joined(MachineBench.answer(users: [me, bob], streams: [stream]))
        #expect(
            bench.events == [
                .statusChanged(.connecting), .statusChanged(.connected), .didConnect(me), .connectionCreated(bob),
                .streamCreated(stream), .subsessions(.roleChanged(isManager: false)),
            ])
        #expect(bench.machine.model.capabilities == Capabilities(canPublish: true))
        #expect(bench.entered.count == 1)
        #expect(throws: Never.self) { try bench.entered.first?.get() }
    }

    @Test("SES-7 users that arrive in pages are all known when the session counts as joined") func pages() {
        func page(_ ids: [String], next: UInt64? = nil) -> Result<UsersPage, SignalingError> {
            let users = ids.map { MachineBench.user(ConnectionID(rawValue: $0)) }
            return .success(
                UsersPage(
                    users: users, streams: users.map { MachineBench.stream("s-\($0.id)", of: $0.id) }, nextPage: next))
        }
        var bench = MachineBench()
        bench.connect()
        bench.open()
        var answer = MachineBench.answer(users: [
            MachineBench.user(MachineBench.bob), MachineBench.user(MachineBench.me),
        ])
        answer.nextPage = 1
        answer.userCount = 900
        bench.joined(answer)
        guard let first = bench.sent.last?.request as? UsersRequest else {
            Issue.record("no page was asked for")
            return
        }
        #expect(first.after == 1 && bench.machine.status == .connecting && bench.entered.isEmpty)
        // Events that arrive between the pages are reported after the users.
        bench.tell(.userLeft(UserLeft(user: ConnectionID(rawValue: "c"), reason: .left)))
        bench.tell(MachineBench.text(1))
        bench.reply(page(["c", "d"], next: 3))
        #expect(bench.machine.status == .connecting)
        bench.reply(page(["me", "e"]))
        #expect(bench.machine.status == .connected && bench.entered.count == 1)
        #expect(bench.machine.model.users.map(\.id.rawValue) == ["bob", "d", "me", "e"])
        #expect(Set(bench.machine.model.streams.keys.map(\.rawValue)) == ["s-c", "s-d", "s-me", "s-e"])
        #expect(bench.heard == ["1"])
        bench.tell(MachineBench.text(2))
        #expect(bench.heard == ["1", "2"])
    }

    @Test("SES-7 the client stops requesting pages from a relay that never ends them") func endlessPages() {
        var bench = MachineBench()
        bench.connect()
        bench.open()
        var answer = MachineBench.answer()
        answer.nextPage = 5
        bench.joined(answer)
        bench.reply(Result<UsersPage, SignalingError>.success(UsersPage(users: [], streams: [], nextPage: 5)))
        #expect(bench.machine.status == .connected)
        var lost = MachineBench()
        lost.connect()
        lost.open()
        lost.joined(answer)
        for number in 1...JoinRoster.eventLimit { lost.tell(MachineBench.text(number)) }
        #expect(lost.machine.status == .connecting)
        lost.tell(MachineBench.text(0))
        #expect(lost.machine.status == .failed)
    }

    @Test("USR-1 users that join, leave or are only counted, in one event") func usersChanged() {
        var bench = MachineBench()
        bench.enter(
            MachineBench.answer(users: [MachineBench.user(MachineBench.me), MachineBench.user(MachineBench.bob)]))
        let new = ["c", "d"].map { MachineBench.user(ConnectionID(rawValue: $0)) }
        bench.events = []
        bench.tell(.usersChanged(UsersChanged(joined: new + [MachineBench.user(MachineBench.me)], count: 4)))
        #expect(bench.events == [.connectionCreated(new[0]), .connectionCreated(new[1]), .userCountChanged(4)])
        bench.events = []
        bench.tell(
            .usersChanged(
                UsersChanged(
                    left: [
                        UserLeft(user: new[0].id, reason: .left),
                        UserLeft(user: ConnectionID(rawValue: "x"), reason: .left),
                    ],
                    unlisted: [new[1].id, MachineBench.me], count: 900)))
        #expect(
            bench.events == [
                .connectionDestroyed(new[0], .left), .usersUnlisted([new[1]]), .userCountChanged(900),
            ])
        #expect(bench.machine.model.users.map(\.id) == [MachineBench.me, MachineBench.bob])
        #expect(bench.machine.model.userCount == 900)
    }

    @Test("SES-4 a refused password can be tried again over the same WebSocket") func password() {
        var bench = MachineBench()
        bench.connect()
        bench.open()
        bench.refuse(SignalingError(.passwordNeeded))
        #expect(bench.machine.status == .connecting)
        #expect(throws: SessionError(SignalingError(.passwordNeeded))) { try bench.entered.last?.get() }
        bench.advance(by: .seconds(100))
        bench.connect(password: "wrong")
        bench.refuse(SignalingError(.passwordWrong))
        bench.connect(password: "right")
        guard let last = bench.sent.last?.request as? JoinRequest else {
            Issue.record("no join was sent")
            return
        }
        #expect(last.password == "right")
        bench.joined()
        #expect(bench.machine.status == .connected)
        #expect(bench.opened.count == 1)
        #expect(bench.closed.isEmpty)
    }

    @Test("SES-4 a join that is cancelled at its password leaves no state") func cancelled() {
        var bench = MachineBench()
        bench.connect()
        bench.open()
        bench.refuse(SignalingError(.passwordNeeded))
        bench.machine.leave(endForAll: false, now: bench.now)
        bench.drain()
        #expect(bench.closed.map(\.link) == [1])
        #expect(bench.statuses == [.connecting, .notConnected])
        #expect(!bench.events.contains { if case .didDisconnect = $0 { true } else { false } })
        #expect(bench.machine.deadline == .never)
    }

    @Test("CON-2 an unreachable relay causes didFail and the status failed") func unreachable() {
        var bench = MachineBench()
        bench.connect()
        bench.cut()
        #expect(bench.machine.status == .failed)
        #expect(bench.events.suffix(2) == [.didFail(SessionError(.connectFailed, "cut")), .statusChanged(.failed)])
        #expect(throws: SessionError(.connectFailed, "cut")) { try bench.entered.last?.get() }
        // Connects again from the start.
        bench.connect()
        #expect(bench.opened.count == 2)
        bench.open()
        bench.joined()
        #expect(bench.machine.status == .connected)
    }

    @Test(
        "CON-5 a refused join reports the relay's error code",
        arguments: [ErrorCode.tokenExpired, .tokenBadSignature, .tokenTopicMismatch, .unsupportedVersion, .draining])
    func refused(code: ErrorCode) {
        var bench = MachineBench()
        bench.connect()
        bench.open()
        bench.refuse(SignalingError(code))
        #expect(bench.machine.status == .failed)
        #expect(throws: SessionError(code)) { try bench.entered.last?.get() }
    }

    @Test("CON-5 a join that is too large to send fails at once") func tooLarge() {
        var bench = MachineBench()
        let name = String(repeating: "x", count: SignalingProtocol.maximumMessageBytes)
        bench.machine.connect(.init(session: "Room", token: "token", name: name), now: bench.now)
        bench.drain()
        bench.open()
        #expect(bench.sent.isEmpty)
        #expect(bench.machine.status == .failed)
        #expect(throws: SessionError(.messageTooLarge)) { try bench.entered.last?.get() }
        #expect(bench.entered.count == 1)
        #expect(bench.machine.deadline == .never)
        #expect(bench.closed.map(\.link) == [1])
    }

    @Test func aRelayThatDoesNotAnswerIsGivenUp() {
        var bench = MachineBench()
        bench.connect()
        bench.advance(by: .seconds(11))
        #expect(bench.machine.status == .failed)
        var other = MachineBench()
        other.connect()
        other.open()
        other.advance(by: .seconds(11))
        #expect(other.machine.status == .failed)
    }

    @Test("SES-6 if the relay refuses to end the session for all, the connection stays") func endForAllRefused() {
        var bench = MachineBench()
        bench.enter()
        bench.machine.leave(endForAll: true, now: bench.now)
        bench.drain()
        #expect(bench.machine.status == .disconnecting)
        bench.refuse(SignalingError(.notPermitted))
        #expect(bench.machine.status == .connected)
        #expect(throws: SessionError(.notPermitted)) { try bench.left.last?.get() }
        bench.signal("still here", ticket: 9)
        #expect(bench.sent.last?.request.method == SignalRequest.method)
        #expect(bench.statuses == [.connecting, .connected, .disconnecting, .connected])
    }

    @Test("CON-1 ending for all disconnects, as leaving does") func endForAll() {
        var bench = MachineBench()
        bench.enter()
        bench.machine.leave(endForAll: true, now: bench.now)
        bench.drain()
        bench.reply(.success(Done()))
        #expect(bench.statuses == [.connecting, .connected, .disconnecting, .notConnected])
    }

    @Test("STR-6 leaving ends all streams, whether the relay answers or not", arguments: [true, false])
    func leaves(answers: Bool) {
        var bench = MachineBench()
        bench.enter()
        bench.machine.leave(endForAll: false, now: bench.now)
        bench.drain()
        #expect(bench.machine.status == .disconnecting)
        if answers { bench.reply(.success(Done())) } else { bench.advance(by: .seconds(3)) }
        #expect(bench.machine.status == .notConnected)
        #expect(bench.events.last == .didDisconnect(.left))
        #expect(throws: Never.self) { try bench.left.last?.get() }
        #expect(bench.media.contains { if case .ended(.left) = $0 { true } else { false } })
        #expect(bench.machine.model.streams.isEmpty && bench.machine.model.users.isEmpty)
    }

    @Test(
        "SES-5 USR-6 a connection that the relay ends reports its reason, and is not resumed",
        arguments: [DisconnectReason.removed, .sessionEnded, .left])
    func ended(reason: DisconnectReason) {
        var bench = MachineBench()
        bench.enter()
        bench.tell(.disconnected(Disconnected(reason: reason)))
        #expect(bench.machine.status == .notConnected)
        #expect(bench.events.last == .didDisconnect(reason))
        bench.advance(by: .seconds(300))
        #expect(bench.opened.count == 1)
    }

    @Test("CON-2 an error is reported before the disconnect that it causes") func failsThenDisconnects() {
        var bench = MachineBench()
        bench.enter()
        bench.tell(.disconnected(Disconnected(reason: .tokenExpired)))
        let order = bench.events.suffix(3)
        #expect(
            order == [.didFail(SessionError(.tokenExpired)), .statusChanged(.failed), .didDisconnect(.tokenExpired)])
    }
}
