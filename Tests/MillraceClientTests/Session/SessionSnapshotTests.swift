import Signaling
import Testing

@testable import MillraceClient

@Suite("Session machine: snapshots") struct SessionSnapshotTests {
    private static let (me, bob) = (MachineBench.me, MachineBench.bob)
    private static let (cleo, dora) = (ConnectionID(rawValue: "cleo"), ConnectionID(rawValue: "dora"))

    private static func resume(_ bench: MachineBench) -> ResumeRequest? { bench.sent.last?.request as? ResumeRequest }

    @Test("CON-3 a snapshot replaces the state under the same connection id, and the differences are reported once")
    func differences() {
        var bench = MachineBench()
        let (old, kept, new) = (
            MachineBench.stream("old"), MachineBench.stream("kept", of: Self.cleo),
            MachineBench.stream("new", of: Self.cleo)
        )
        bench.enter(
            MachineBench.answer(
                users: [
                    MachineBench.user(Self.me, role: .host), MachineBench.user(Self.bob), MachineBench.user(Self.cleo),
                ], streams: [old, kept]))
        for number in 1...7 { bench.tell(MachineBench.text(number)) }
        bench.comeBack()
        #expect(Self.resume(bench)?.snapshots == true && Self.resume(bench)?.lastEvent == 7)
        let before = bench.events.count
        let (mine, hers, dora) = (
            MachineBench.user(Self.me), MachineBench.user(Self.cleo, role: .host), MachineBench.user(Self.dora)
        )
        var changed = kept
        changed.isAudioMuted = true
        var answer = MachineBench.answer(users: [mine, hers, dora], streams: [changed, new])
        answer.isMuteForced = true
        bench.restored(answer, publishLost: true)
        #expect(
            Array(bench.events[before...]) == [
                .streamDestroyed(old, .reset),
                .connectionDestroyed(MachineBench.user(Self.bob), .networkLost),
                .userChanged(mine), .userChanged(hers), .connectionCreated(dora), .hostChanged(Self.cleo),
                .streamChanged(changed), .streamCreated(new), .muteForced(isActive: true),
                .statusChanged(.connected), .didReconnect(isNewConnection: false),
            ])
        #expect(bench.machine.model.connection == Self.me && bench.machine.model.users == [mine, hers, dora])
        #expect(bench.media.contains { if case .resumed(true, true, true) = $0 { true } else { false } })
        #expect(!bench.sent.dropFirst().contains { bench.isJoin($0) })
        // Event numbers begin at 1 again, and the next resume names them.
        bench.tell(MachineBench.text(8))
        #expect(bench.heard.last == "8")
        bench.comeBack()
        #expect(Self.resume(bench)?.lastEvent == 1)
    }

    @Test("CON-3 after a snapshot the application is not told again what it knows")
    func known() {
        var bench = MachineBench()
        let stream = MachineBench.stream("a")
        let answer = MachineBench.answer(
            users: [MachineBench.user(Self.me, role: .host), MachineBench.user(Self.bob)], streams: [stream])
        bench.enter(answer)
        func state(_ live: String) -> [Event] {
            [
                .activeSpeaker(ActiveSpeaker(stream: stream.id)),
                .liveStarted(PushStarted(id: PushID(rawValue: live), stream: stream.id)),
                .helpRequested(
                    HelpRequested(
                        request: HelpRequestID(rawValue: live), user: Self.bob, userName: "Bob",
                        subsession: SubsessionID(rawValue: "s"), subsessionName: "S")),
            ]
        }
        for event in state("1") { bench.tell(event) }
        bench.comeBack()
        let before = bench.events.count
        bench.restored(answer)
        for event in state("1") { bench.tell(event) }
        #expect(
            Array(bench.events[before...]) == [.statusChanged(.connected), .didReconnect(isNewConnection: false)])
        #expect(bench.machine.model.activeSpeaker == stream.id)
        #expect(bench.machine.model.pushes == [PushID(rawValue: "1"): stream.id])
        for event in state("2") + [.activeSpeaker(ActiveSpeaker(stream: nil))] { bench.tell(event) }
        #expect(
            bench.events.suffix(3).map { event in
                switch event {
                case .liveStarted: "live"
                case .subsessions(.helpRequested): "help"
                case .activeSpeakerChanged(nil): "no speaker"
                default: "\(event)"
                }
            } == ["live", "help", "no speaker"])
    }

    @Test("CLU-3 a resume names the newest offer of the present subscribe peer connection, which may continue")
    func offers() {
        func offer(_ revision: Int) -> Event { .offer(OfferMade(revision: revision, sdp: "", streams: [])) }
        func continued(_ bench: MachineBench) -> [[StreamID]] {
            bench.media.compactMap { if case .continued(let streams) = $0 { streams } else { nil } }
        }
        let stream = MachineBench.stream("a")
        var bench = MachineBench()
        bench.enter(MachineBench.answer(streams: [stream]))
        bench.comeBack()
        #expect(Self.resume(bench)?.offer == nil)
        bench.restored(MachineBench.answer(streams: [stream]))
        #expect(continued(bench) == [])
        for revision in 1...2 { bench.tell(offer(revision)) }
        bench.comeBack()
        #expect(Self.resume(bench)?.offer == 2)
        bench.restored(
            MachineBench.answer(streams: [stream]), subscribeLost: false, subscriptions: [stream.id])
        #expect(continued(bench) == [[stream.id]])
        bench.comeBack()
        #expect(Self.resume(bench)?.offer == 2)
        bench.restored(MachineBench.answer(streams: [stream]), subscribeLost: true)
        bench.comeBack()
        #expect(Self.resume(bench)?.offer == nil)
        bench.restored(MachineBench.answer(streams: [stream]))
        bench.tell(offer(1))
        bench.tell(.mediaReset(MediaReset(publish: true, subscribe: false)))
        bench.tell(.mediaReset(MediaReset(publish: false, subscribe: true)))
        bench.comeBack()
        #expect(Self.resume(bench)?.offer == nil)
        #expect(continued(bench).count == 1)
    }

    @Test(
        "CON-3 own streams that are gone were ended by a moderator, unless the relay has lost them",
        arguments: [true, false])
    func ownStream(publishLost: Bool) {
        var bench = MachineBench()
        let own = MachineBench.stream("own", of: Self.me)
        bench.enter(MachineBench.answer(streams: [own]))
        bench.comeBack()
        bench.restored(MachineBench.answer(), publishLost: publishLost)
        #expect(bench.events.contains(.streamDestroyed(own, publishLost ? .reset : .forced)))
    }

    @Test("CON-3 a lost client that is in the snapshot is shown as dropped")
    func dropped() {
        var bench = MachineBench()
        let users = [MachineBench.user(Self.me, role: .host), MachineBench.user(Self.bob)]
        bench.enter(MachineBench.answer(users: users))
        bench.comeBack()
        var lost = users
        lost[1].isConnected = false
        bench.restored(MachineBench.answer(users: lost))
        #expect(bench.events.suffix(3).first == .userDropped(Self.bob, true))
        bench.tell(.userDropped(UserDropped(user: Self.bob, isDropped: false)))
        #expect(bench.events.last == .userDropped(Self.bob, false))
    }

    @Test("CON-3 the pages of a snapshot are read first; after a loss before the last, another snapshot is requested")
    func pages() {
        var bench = MachineBench()
        bench.enter()
        for number in 1...3 { bench.tell(MachineBench.text(number)) }
        bench.comeBack()
        var first = MachineBench.answer()
        first.nextPage = 100
        bench.restored(first)
        #expect((bench.sent.last?.request as? UsersRequest)?.after == 100)
        bench.tell(MachineBench.text(4))
        #expect(bench.heard == ["1", "2", "3"] && bench.machine.status == .reconnecting)
        bench.comeBack()
        #expect(Self.resume(bench)?.lastEvent == ResumeRequest.withoutState)
        bench.restored(first)
        bench.tell(MachineBench.text(5))
        bench.reply(.success(UsersPage(users: [MachineBench.user(Self.bob)], streams: [MachineBench.stream("b")])))
        #expect(bench.machine.status == .connected && bench.heard == ["1", "2", "3", "5"])
        #expect(bench.machine.model.users.map(\.id) == [Self.bob, Self.me])
        #expect(bench.machine.model.streams.count == 1)
        #expect(bench.events.contains(.didReconnect(isNewConnection: false)))
        bench.comeBack()
        #expect(Self.resume(bench)?.lastEvent == 1)
    }

    @Test("SIG-3 CHT-5 queued signals and unanswered chat messages are sent after a snapshot")
    func queued() {
        var bench = MachineBench()
        bench.enter()
        bench.machine.request(ChatRequest(text: "hello", id: "1"), ticket: 1, now: bench.now)
        bench.drain()
        bench.cut()
        bench.signal("later", ticket: 2)
        bench.advanceToOpen()
        bench.open()
        bench.restored(MachineBench.answer())
        #expect(bench.sent.suffix(2).map(\.request.method) == [ChatRequest.method, SignalRequest.method])
    }
}
