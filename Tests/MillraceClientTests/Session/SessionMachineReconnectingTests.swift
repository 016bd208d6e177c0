import MediaBase
import MillraceTestKit
import Signaling
import Testing

@testable import MillraceClient

@Suite("Session machine: reconnecting") struct SessionMachineReconnectingTests {
    @Test("CON-3 a lost connection is resumed: missed events in order and once, then did reconnect")
    func resumes() {
        var bench = MachineBench()
        bench.enter()
        for number in 1...3 { bench.tell(MachineBench.text(number)) }
        bench.cut()
        #expect(bench.machine.status == .reconnecting)
        #expect(bench.events.last == .didBeginReconnecting)
        bench.advanceToOpen()
        bench.open()
        guard let resume = bench.sent.last?.request as? ResumeRequest else {
            Issue.record("no resume was sent")
            return
        }
        #expect(resume.resumeToken == "secret" && resume.lastEvent == 3)
        bench.resumed(missed: 2)
        #expect(bench.machine.status == .reconnecting)
        // The replay overlaps the received events.
        bench.tell(MachineBench.text(3), seq: 3)
        bench.tell(MachineBench.text(4))
        bench.tell(MachineBench.text(5))
        #expect(bench.heard == ["1", "2", "3", "4", "5"])
        #expect(bench.machine.status == .connected)
        #expect(bench.events.last == .didReconnect(isNewConnection: false))
        #expect(bench.machine.model.connection == MachineBench.me)
        #expect(bench.media.contains { if case .resumed(false, false, false) = $0 { true } else { false } })
    }

    @Test("CON-3 a gap in the event numbers forces a resume") func gap() {
        var bench = MachineBench()
        bench.enter()
        bench.tell(MachineBench.text(1))
        bench.tell(MachineBench.text(3), seq: 3)
        #expect(bench.heard == ["1"])
        #expect(bench.machine.status == .reconnecting)
        bench.advanceToOpen()
        bench.open()
        bench.resumed(missed: 2)
        bench.tell(MachineBench.text(2))
        bench.tell(MachineBench.text(3))
        #expect(bench.heard == ["1", "2", "3"])
    }

    @Test("CON-3 an expired connection joins again, and changes in the meantime are reported") func joinsAnew() {
        var bench = MachineBench()
        let (me, bob) = (MachineBench.user(MachineBench.me), MachineBench.user(MachineBench.bob))
        let (old, new) = (MachineBench.stream("old"), MachineBench.stream("new"))
        bench.enter(MachineBench.answer(users: [me, bob], streams: [old]))
        bench.cut()
        bench.advanceToOpen()
        bench.open()
        bench.refuse(SignalingError(.resumeExpired))
        #expect(bench.isJoin(bench.sent.last))
        let before = bench.events.count
        let again = ConnectionID(rawValue: "me again")
        let cleo = MachineBench.user(ConnectionID(rawValue: "cleo"))
        bench.joined(
            MachineBench.answer(connection: again, users: [cleo, MachineBench.user(again)], streams: [new]))
        #expect(
            Array(bench.events[before...]) == [
                .streamDestroyed(old, .reset), .connectionDestroyed(bob, .networkLost), .connectionCreated(cleo),
                .streamCreated(new), .statusChanged(.connected), .didReconnect(isNewConnection: true),
            ])
        #expect(bench.machine.model.connection == again)
        // Event numbers start over with the new connection.
        bench.tell(MachineBench.text(1))
        #expect(bench.heard == ["1"])
    }

    @Test("CON-3 an expired connection ends if joining again is disabled") func doesNotJoinAnew() {
        var configuration = SessionConfiguration()
        configuration.reconnect.joinsAnew = false
        var bench = MachineBench(configuration)
        bench.enter()
        bench.cut()
        bench.advanceToOpen()
        bench.open()
        bench.refuse(SignalingError(.resumeExpired))
        #expect(bench.machine.status == .failed)
        #expect(bench.events.last == .didDisconnect(.networkLost))
    }

    @Test("CON-3 attempts back off, and end after the time limit") func givesUp() {
        var configuration = SessionConfiguration()
        configuration.reconnect.giveUpAfter = .seconds(60)
        var bench = MachineBench(configuration)
        bench.enter()
        let lost = bench.now
        bench.cut()
        while bench.machine.status == .reconnecting {
            bench.advanceToOpen()
            if bench.machine.status == .reconnecting { bench.cut() }
        }
        #expect(bench.now - lost <= .seconds(60))
        #expect(bench.events.last == .didDisconnect(.networkLost))
        #expect(bench.statuses.suffix(2) == [.reconnecting, .failed])
        let attempts = bench.opened.dropFirst().map(\.at)
        #expect(attempts.count > 8 && attempts.count < 40)
        #expect(attempts[0] - lost <= .milliseconds(200))
        let waits = zip(attempts.dropFirst(), attempts).map { $0 - $1 }
        #expect(waits.allSatisfy { $0 <= .seconds(5) })
        #expect(waits.suffix(3).allSatisfy { $0 >= .milliseconds(2_500) })
    }

    @Test("CON-3 a silent relay counts as lost") func silence() {
        var bench = MachineBench()
        bench.enter()
        // Answered pings cause no event.
        for _ in 0..<20 {
            bench.advance(by: .seconds(5))
            if bench.sent.last?.request.method == PingRequest.method { bench.reply(.success(Done())) }
        }
        #expect(bench.machine.status == .connected)
        let lastWord = bench.now
        while bench.machine.status == .connected { bench.advance(by: .milliseconds(100)) }
        #expect(bench.machine.status == .reconnecting)
        #expect(bench.now - lastWord <= .seconds(13))
    }

    @Test("CON-6 clients join again after a relay shutdown") func relayRestarts() {
        var bench = MachineBench()
        bench.enter()
        bench.tell(.draining(Draining(seconds: 10)))
        #expect(bench.events.last == .relayDraining(seconds: 10))
        bench.advance(by: .seconds(4))
        #expect(bench.machine.status == .connected)
        bench.tell(.disconnected(Disconnected(reason: .relayShutdown)))
        #expect(bench.machine.status == .reconnecting)
        // The first three attempts fail.
        for _ in 0..<3 {
            bench.advanceToOpen()
            bench.cut()
        }
        bench.advanceToOpen()
        bench.open()
        #expect(bench.isJoin(bench.sent.last))
        bench.refuse(SignalingError(.draining, retryAfter: 7))
        let refused = bench.now
        bench.advanceToOpen()
        #expect(bench.now - refused >= .seconds(7))
        bench.open()
        bench.joined()
        #expect(bench.events.last == .didReconnect(isNewConnection: true))
    }

    @Test("CON-6 clients of a draining relay move to the other one before its end, at different times") func moves() {
        var moments: Set<MediaTime> = []
        for seed in 1...8 {
            var bench = MachineBench(seed: UInt64(seed))
            bench.enter()
            let told = bench.now
            bench.tell(.draining(Draining(seconds: 10, url: "wss://other.example")))
            bench.advanceToOpen()
            #expect(bench.now - told < .seconds(10))
            #expect(bench.opened.last?.url == "wss://other.example")
            moments.insert(bench.now)
            bench.open()
            #expect(bench.isJoin(bench.sent.last))
            bench.joined()
            #expect(bench.machine.status == .connected)
        }
        #expect(moments.count > 4)
    }

    @Test("USR-6 a token that was revoked while reconnecting ends the reconnect") func revoked() {
        var bench = MachineBench()
        bench.enter()
        bench.cut()
        bench.advanceToOpen()
        bench.open()
        bench.refuse(SignalingError(.resumeExpired))
        bench.refuse(SignalingError(.tokenRevoked))
        #expect(bench.events.last == .didDisconnect(.removed))
    }

    @Test("CON-3 disconnecting while reconnecting ends it") func disconnectsMeanwhile() {
        var bench = MachineBench()
        bench.enter()
        bench.cut()
        bench.machine.leave(endForAll: false, now: bench.now)
        bench.drain()
        #expect(bench.machine.status == .notConnected)
        #expect(bench.events.last == .didDisconnect(.left))
        bench.advance(by: .seconds(100))
        #expect(bench.opened.count == 1)
    }

    @Test("CON-3 with cuts at random times, events arrive in order, each once", arguments: 1...40)
    func anyCuts(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var configuration = SessionConfiguration()
        configuration.reconnect.giveUpAfter = .seconds(1e6)
        var bench = MachineBench(configuration, seed: UInt64(seed))
        bench.enter()
        // The relay's log, and the number of its events that were sent on the current WebSocket.
        var log = 0
        var told = 0
        for _ in 0..<300 {
            switch bench.machine.phase {
            case .connected:
                if told < log {
                    // A replay may begin with events that the client already has.
                    let from = max(1, told - Int.random(in: 0...2, using: &random))
                    for number in from...(told + 1) { bench.tell(MachineBench.text(number), seq: UInt64(number)) }
                    told += 1
                } else {
                    log += Int.random(in: 1...3, using: &random)
                }
            case .waiting: bench.advanceToOpen()
            case .opening: bench.open()
            case .entering:
                guard let request = bench.sent.last?.request as? ResumeRequest else {
                    Issue.record("not a resume")
                    return
                }
                told = Int(request.lastEvent)
                bench.resumed(missed: log - told)
            default: Issue.record("unexpected phase \(bench.machine.phase)")
            }
            if Int.random(in: 0..<8, using: &random) == 0, bench.machine.phase != .waiting { bench.cut() }
            if Int.random(in: 0..<20, using: &random) == 0 { bench.advance(by: .seconds(2)) }
        }
        #expect(bench.heard == (1...bench.heard.count).map { "\($0)" })
        #expect(bench.heard.count > 20)
    }
}
