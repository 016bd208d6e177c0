import MillraceTestKit
import Signaling
import Testing

@testable import MillraceClient

@Suite("Session machine: subsessions and chat") struct SessionSubsessionsTests {
    private static let (red, blue) = (SubsessionID(rawValue: "r"), SubsessionID(rawValue: "b"))

    private static func state(
        _ status: SubsessionStatus, red: [ConnectionID] = [], blue: [ConnectionID] = [], isManager: Bool = false
    ) -> SubsessionsState {
        SubsessionsState(
            status: status,
            subsessions: [
                SubsessionInfo(id: Self.red, name: "Red", users: red),
                SubsessionInfo(id: Self.blue, name: "Blue", users: blue),
            ], isManager: isManager)
    }

    private static func bench() -> MachineBench {
        var bench = MachineBench()
        let users = ["a", "b", "c"].map { MachineBench.user(ConnectionID(rawValue: $0)) }
        bench.enter(MachineBench.answer(users: users + [MachineBench.user(MachineBench.me)]))
        return bench
    }

    @Test("SUB-1 SUB-2 changes to the list and to the own role are reported after the state has changed")
    func states() {
        var bench = Self.bench()
        let before = bench.events.count
        bench.tell(.subsessionRoleChanged(SubsessionRoleChanged(isManager: true)))
        bench.tell(
            .subsessionsChanged(SubsessionsChanged(change: .committed, state: Self.state(.committed, isManager: true))))
        bench.tell(
            .subsessionsChanged(
                SubsessionsChanged(change: .startFailed, state: Self.state(.committed, isManager: true))))
        bench.tell(
            .subsessionsChanged(SubsessionsChanged(change: .started, state: Self.state(.started, isManager: true))))
        #expect(
            Array(bench.events[before...]) == [
                .subsessions(.roleChanged(isManager: true)), .subsessions(.changed(.committed)),
                .subsessions(.changed(.startFailed)), .subsessions(.changed(.started)),
            ])
        #expect(bench.machine.model.subsessions == Self.state(.started, isManager: true))
        bench.machine.leave(endForAll: false, now: bench.now)
        bench.drain()
        bench.reply(.success(Done()))
        #expect(bench.machine.model.subsessions == SubsessionsState())
    }

    @Test("SUB-3 SUB-4 membership follows the moves, in order of joining; a participant who leaves is in no subsession")
    func moves() {
        var bench = Self.bench()
        let (a, b, c) = (ConnectionID(rawValue: "a"), ConnectionID(rawValue: "b"), ConnectionID(rawValue: "c"))
        bench.tell(.subsessionsChanged(SubsessionsChanged(change: .started, state: Self.state(.started))))
        let moves = [c, a].map { SubsessionMove(user: $0, to: Self.red) } + [SubsessionMove(user: b, to: Self.blue)]
        bench.tell(.subsessionUsersChanged(SubsessionUsersChanged(changes: moves)))
        #expect(bench.events.last == .subsessions(.usersChanged(moves)))
        #expect(bench.machine.model.subsessions == Self.state(.started, red: [a, c], blue: [b]))
        bench.tell(
            .subsessionUsersChanged(
                SubsessionUsersChanged(changes: [
                    SubsessionMove(user: b, from: Self.blue, to: Self.red), SubsessionMove(user: a, from: Self.red),
                ])))
        #expect(bench.machine.model.subsessions == Self.state(.started, red: [b, c]))
        bench.tell(.userLeft(UserLeft(user: c, reason: .left)))
        #expect(
            bench.events.suffix(2) == [
                .subsessions(.usersChanged([SubsessionMove(user: c, from: Self.red)])),
                .connectionDestroyed(MachineBench.user(c), .left),
            ])
        #expect(bench.machine.model.subsessions == Self.state(.started, red: [b]))
        #expect(bench.machine.model.users(in: Self.red).map(\.id) == [b])
        // A move to an unknown subsession is ignored.
        bench.tell(
            .subsessionUsersChanged(
                SubsessionUsersChanged(changes: [SubsessionMove(user: b, to: SubsessionID(rawValue: "?"))])))
        #expect(bench.machine.model.subsessions == Self.state(.started))
    }

    @Test("SUB-1 a client that joins again is told the changes of the list in the meantime") func joinsAnew() {
        var bench = Self.bench()
        bench.tell(.subsessionsChanged(SubsessionsChanged(change: .started, state: Self.state(.started))))
        bench.cut()
        bench.advanceToOpen()
        bench.open()
        bench.refuse(SignalingError(.resumeExpired))
        var answer = MachineBench.answer(connection: ConnectionID(rawValue: "again"))
        answer.subsessions = Self.state(.committed)
        answer.isChatAllowed = false
        bench.joined(answer)
        #expect(bench.events.contains(.subsessions(.changed(.stopped))))
        #expect(bench.events.contains(.chat(.allowedChanged(false))))
        #expect(bench.machine.model.subsessions == Self.state(.committed))
    }

    /// Loses the connection and joins again.
    /// - Returns: the events of subsessions that this causes.
    private static func joinAnew(_ former: SubsessionsState, _ state: SubsessionsState) -> [SessionEvent] {
        var bench = Self.bench()
        bench.tell(.subsessionsChanged(SubsessionsChanged(change: .started, state: former)))
        bench.cut()
        bench.advanceToOpen()
        bench.open()
        bench.refuse(SignalingError(.resumeExpired))
        let before = bench.events.count
        let users = ["a", "b", "c", "again"].map { MachineBench.user(ConnectionID(rawValue: $0)) }
        var answer = MachineBench.answer(connection: ConnectionID(rawValue: "again"), users: users)
        answer.subsessions = state
        bench.joined(answer)
        return bench.events[before...].filter { if case .subsessions = $0 { true } else { false } }
    }

    @Test("SUB-4 joining again reports moved participants, and nothing for an unchanged list") func moved() {
        let (a, b, c) = (ConnectionID(rawValue: "a"), ConnectionID(rawValue: "b"), ConnectionID(rawValue: "c"))
        let former = Self.state(.started, red: [a, b])
        #expect(Self.joinAnew(former, former).isEmpty)
        #expect(
            Self.joinAnew(former, Self.state(.started, red: [c], blue: [b])) == [
                .subsessions(
                    .usersChanged([
                        SubsessionMove(user: c, to: Self.red), SubsessionMove(user: b, from: Self.red, to: Self.blue),
                        SubsessionMove(user: a, from: Self.red),
                    ]))
            ])
        #expect(
            Self.joinAnew(Self.state(.stopping, red: [a]), Self.state(.committed)) == [
                .subsessions(.changed(.stopped)),
                .subsessions(.usersChanged([SubsessionMove(user: a, from: Self.red)])),
            ])
        // A completely different list.
        let other = SubsessionsState(
            status: .committed, subsessions: [SubsessionInfo(id: SubsessionID(rawValue: "g"), name: "Green")])
        #expect(Self.joinAnew(former, other) == [.subsessions(.changed(.committed))])
    }

    @Test("SUB-2 every first join reports the role, also after the client has left", arguments: [true, false])
    func role(isManager: Bool) {
        var bench = MachineBench()
        var answer = MachineBench.answer()
        answer.subsessions = Self.state(.started, red: [MachineBench.bob], isManager: isManager)
        for _ in 0..<2 {
            let before = bench.events.count
            bench.enter(answer)
            let told = bench.events[before...].filter { if case .subsessions = $0 { true } else { false } }
            #expect(
                told == [.subsessions(.roleChanged(isManager: isManager)), .subsessions(.changed(.started))])
            bench.machine.leave(endForAll: false, now: bench.now)
            bench.drain()
            bench.reply(.success(Done()))
        }
    }

    @Test("SUB-2 SUB-5 SUB-6 CHT-1 broadcasts, help and chat are reported unchanged") func messages() {
        var bench = Self.bench()
        let before = bench.events.count
        let (request, bob) = (HelpRequestID(rawValue: "h"), MachineBench.bob)
        let help = HelpRequested(
            request: request, user: bob, userName: "Bob", subsession: Self.red, subsessionName: "Red")
        let message = ChatReceived(
            message: ChatMessageID(rawValue: "m"), from: bob, text: "hi", time: 5, subsession: Self.red)
        bench.tell(.broadcast(BroadcastReceived(from: bob, text: "five minutes left")))
        bench.tell(.helpRequested(help))
        bench.tell(.helpEnded(HelpEnded(request: request)))
        bench.tell(.helpResult(HelpResulted(request: request, result: .busy)))
        bench.tell(.chat(message))
        bench.tell(.chatAllowedChanged(ChatAllowedChanged(isAllowed: false)))
        #expect(
            Array(bench.events[before...]) == [
                .subsessions(.broadcast(from: bob, text: "five minutes left")), .subsessions(.helpRequested(help)),
                .subsessions(.helpEnded(request)), .subsessions(.helpResult(request, .busy)),
                .chat(.message(message)), .chat(.allowedChanged(false)),
            ])
        #expect(!bench.machine.model.isChatAllowed)
    }

    @Test("CHT-5 events of conversations have no number, and do not disturb the order of session events")
    func unnumbered() {
        var bench = Self.bench()
        bench.tell(MachineBench.text(1))
        bench.tell(.messaging(.totalUnreadChanged(TotalUnreadChanged(total: 3))), seq: 0)
        bench.tell(MachineBench.text(2))
        #expect(bench.heard == ["1", "2"])
        #expect(bench.conversations == [.totalUnreadChanged(TotalUnreadChanged(total: 3))])
        #expect(bench.machine.status == .connected)
    }
}
