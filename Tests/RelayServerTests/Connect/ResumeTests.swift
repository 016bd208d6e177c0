import Foundation
import Signaling
import Testing

@testable import ControlServer

@Suite("Resuming over another WebSocket")
struct ResumeTests {
    private func resume(
        _ relay: ConnectFixture, _ answer: JoinAnswer, after seq: UInt64, snapshots: Bool? = nil
    ) async throws -> (SocketClient, Result<ResumeRequest.Answer, SignalingError>) {
        let client = try await relay.connect()
        let request = ResumeRequest(resumeToken: answer.resumeToken, lastEvent: seq, snapshots: snapshots)
        return (client, try await client.request(request))
    }

    @Test("CON-3 missed events are delivered in order, under the same connection id")
    func missedEvents() async throws {
        try await withConnect { relay in
            let (ada, a) = try await relay.join("Ada")
            let (ben, b) = try await relay.join("Ben")
            for number in 0..<10 { #expect(try await ada.ask(SignalRequest(type: "n", data: "\(number)")) == nil) }
            let seen = try await ben.events(count: 10)
            await ben.cut()
            let dropped = try await ada.next(.userDropped)
            #expect(dropped == .userDropped(UserDropped(user: b.connection, isDropped: true)))
            for number in 10..<60 { #expect(try await ada.ask(SignalRequest(type: "n", data: "\(number)")) == nil) }

            let (again, result) = try await resume(relay, b, after: seen[4].seq)
            let answer = try result.get()
            #expect(answer.connection == b.connection && answer.missed >= 55)
            // The client never published, so no publish peer connection is reported as lost.
            #expect(!answer.publishLost && answer.subscribeLost)
            let back = try await ada.next(.userDropped)
            #expect(back == .userDropped(UserDropped(user: b.connection, isDropped: false)))
            let events = try await again.events(count: answer.missed)
            #expect(events.map(\.seq) == Array(6..<(6 + UInt64(events.count))))
            let numbers = events.compactMap { message -> String? in
                if case .signal(let signal) = message.event { signal.data } else { nil }
            }
            #expect(numbers == (5..<60).map { "\($0)" })
            #expect(try await ada.ask(SignalRequest(type: "later", to: b.connection)) == nil)
            #expect(
                try await again.next(.userDropped) == .userDropped(UserDropped(user: b.connection, isDropped: true)))
            try await eventually("the later one") {
                again.events.contains { $0.event == .signal(.init(from: a.connection, type: "later", data: "")) }
            }
            #expect(relay.counts.resumes == 1)
        }
    }

    @Test func aSecondSocketTakesOver() async throws {
        try await withConnect { relay in
            let (old, answer) = try await relay.join("Ada")
            let (ben, _) = try await relay.join("Ben")
            // The relay has not noticed the loss, so other clients get no event.
            let (new, result) = try await resume(relay, answer, after: 0)
            #expect(try result.get().connection == answer.connection)
            #expect(try await old.closing().code == 1000)
            #expect(try await new.ask(SignalRequest(type: "x")) == nil)
            _ = try await ben.next(.signal)
            #expect(!ben.events.contains { $0.event.name == .userDropped || $0.event.name == .userLeft })
            #expect(await relay.liveSessions.gauges().users[.client] == 2)
        }
    }

    @Test("CON-3 a resume after the grace time is refused")
    func graceExpires() async throws {
        try await withConnect({ $0.connect.conference.graceTime = .milliseconds(300) }) { relay in
            let (ada, _) = try await relay.join("Ada")
            let (ben, b) = try await relay.join("Ben")
            await ben.cut()
            _ = try await ada.next(.userDropped)
            let left = try await ada.next(.userLeft)
            #expect(left == .userLeft(UserLeft(user: b.connection, reason: .networkLost)))
            let (again, result) = try await resume(relay, b, after: 0)
            #expect(result.failure?.code == .resumeExpired)
            // The client may join again on the same WebSocket.
            #expect(try await again.join("Ben").connection != b.connection)
        }
    }

    @Test func tooManyMissedEventsAreSaid() async throws {
        try await withConnect({ $0.connect.outbox.replayEvents = 20 }) { relay in
            let (ada, _) = try await relay.join("Ada")
            let (ben, b) = try await relay.join("Ben")
            await ben.cut()
            _ = try await ada.next(.userDropped)
            for _ in 0..<30 { #expect(try await ada.ask(SignalRequest(type: "n")) == nil) }
            let (again, result) = try await resume(relay, b, after: 0)
            #expect(result.failure?.code == .resumeGap)
            _ = try await ada.next(.userLeft)
            _ = try await again.join("Ben")
        }
    }

    @Test("CON-3 a client that has missed too many events gets a snapshot, and event numbers begin again")
    func snapshot() async throws {
        try await withConnect({ $0.connect.outbox.replayEvents = 20 }) { relay in
            let (ada, a) = try await relay.join("Ada")
            let (ben, b) = try await relay.join("Ben")
            await ben.cut()
            _ = try await ada.next(.userDropped)
            for _ in 0..<30 { #expect(try await ada.ask(SignalRequest(type: "n")) == nil) }
            let (cleo, c) = try await relay.join("Cleo")
            let (again, result) = try await resume(relay, b, after: 0, snapshots: true)
            let answer = try result.get()
            let snapshot = try #require(answer.snapshot)
            #expect(answer.connection == b.connection && answer.missed == 0)
            #expect(answer.subscribeLost && !answer.publishLost)
            #expect(snapshot.connection == b.connection && snapshot.resumeToken == b.resumeToken)
            #expect(snapshot.session == b.session && snapshot.pingInterval == b.pingInterval)
            #expect(snapshot.transports == b.transports && snapshot.videoCodecs == b.videoCodecs)
            #expect(snapshot.users.map(\.id) == [a.connection, b.connection, c.connection])
            #expect(!snapshot.users.map(\.isConnected).contains(false))
            let back = try await cleo.next(.userDropped)
            #expect(back == .userDropped(UserDropped(user: b.connection, isDropped: false)))
            #expect(try await ada.ask(SignalRequest(type: "later")) == nil)
            _ = try await again.next(.signal)
            #expect(again.events.map(\.seq) == (1...UInt64(again.events.count)).map { $0 })
            let signals = again.events.compactMap { message -> String? in
                if case .signal(let signal) = message.event { signal.type } else { nil }
            }
            #expect(signals == ["later"])
            // After a request the numbers of both sides agree, and missed events are sent again as before.
            #expect(try await again.ask(PingRequest()) == nil)
            await again.cut()
            _ = try await ada.next(.userDropped)
            let (third, next) = try await resume(relay, b, after: 1, snapshots: true)
            let replay = try next.get()
            #expect(replay.snapshot == nil && replay.missed > 0)
            #expect(try await third.events(count: replay.missed).first?.seq == 2)
        }
    }

    @Test("CON-3 a snapshot that the client may not have received is repeated, whatever event it names")
    func lostSnapshot() async throws {
        try await withConnect({ $0.connect.outbox.replayEvents = 20 }) { relay in
            let (ada, _) = try await relay.join("Ada")
            let (ben, b) = try await relay.join("Ben")
            await ben.cut()
            _ = try await ada.next(.userDropped)
            for _ in 0..<30 { #expect(try await ada.ask(SignalRequest(type: "n")) == nil) }
            for round in 0..<3 {
                // The number was sent in the meantime, under the new numbering.
                let (again, result) = try await resume(relay, b, after: 1, snapshots: true)
                #expect(try result.get().snapshot?.connection == b.connection, "round \(round)")
                #expect(try await ada.ask(SignalRequest(type: "later")) == nil)
                _ = try await again.next(.signal)
                #expect(again.events.first?.seq == 1)
                await again.cut()
                _ = try await ada.next(.userDropped)
            }
            // A client without state asks for a snapshot by a number that was never sent.
            let (again, _) = try await resume(relay, b, after: 1, snapshots: true)
            #expect(try await again.ask(PingRequest()) == nil)
            await again.cut()
            let (last, result) = try await resume(relay, b, after: ResumeRequest.withoutState, snapshots: true)
            #expect(try result.get().snapshot != nil)
            #expect(try await last.ask(PingRequest()) == nil)
            #expect(relay.counts.resumes == 5)
        }
    }

    @Test(
        "CON-3 a client whose past the relay does not have needs a snapshot, whatever event it names",
        arguments: [true, false])
    func unknownPast(snapshots: Bool) async throws {
        try await withConnect { relay in
            let (ada, _) = try await relay.join("Ada")
            let (ben, b) = try await relay.join("Ben")
            await ben.cut()
            _ = try await ada.next(.userDropped)
            let liveSession = try #require(relay.liveSessions.liveSession(b.session))
            await liveSession.turn { $0.clients[b.connection]?.needsSnapshot = true }
            let (again, result) = try await resume(relay, b, after: 0, snapshots: snapshots)
            guard snapshots else {
                #expect(result.failure?.code == .resumeGap)
                _ = try await ada.next(.userLeft)
                return
            }
            let answer = try result.get()
            #expect(answer.snapshot?.users.count == 2)
            #expect(answer.publishLost && answer.subscribeLost)
            #expect(try await again.ask(PingRequest()) == nil)
            await again.cut()
            let (_, next) = try await resume(relay, b, after: 0, snapshots: snapshots)
            #expect(try next.get().snapshot == nil)
            #expect(try !next.get().publishLost)
        }
    }

    @Test func anEventThatNeverWasIsAnError() async throws {
        try await withConnect { relay in
            let (_, answer) = try await relay.join("Ada")
            let (again, result) = try await resume(relay, answer, after: 99)
            #expect(result.failure?.code == .invalidField && result.failure?.field == "lastEvent")
            let request = ResumeRequest(resumeToken: answer.resumeToken, lastEvent: 0)
            #expect(try await again.request(request).failure == nil)
        }
    }

    @Test(
        "a close with code 1000 or 1001 is a leave, with another code a lost connection",
        arguments: [(1000, true), (1001, true), (4000, false)])
    func closeCodes(code: Int, leaves: Bool) async throws {
        try await withConnect { relay in
            let (ada, _) = try await relay.join("Ada")
            let (ben, _) = try await relay.join("Ben")
            try await ben.send(
                opcode: .connectionClose, .init(bytes: [UInt8(code >> 8), UInt8(code & 0xFF)]))
            _ = try await ada.next(leaves ? .userLeft : .userDropped)
        }
    }

    @Test("ISS-1 a report is stored under its id")
    func report() async throws {
        try await withConnect { relay in
            let (ada, answer) = try await relay.join("Ada")
            let long = ReportIssueRequest(note: String(repeating: "x", count: 2_001))
            #expect(try await ada.request(long).failure?.field == "note")
            let kept = try await ada.request(ReportIssueRequest(note: "no sound")).get()
            let issue = try await relay.issues.issue(kept.issue)
            #expect(issue.entry.head.connection == answer.connection && issue.entry.head.note == "no sound")
            let bundle = try JSONSerialization.jsonObject(with: Data(issue.bundle)) as? [String: Any]
            #expect(bundle?["connection"] as? String == answer.connection.rawValue)
            #expect((bundle?["user"] as? [String: Any])?["name"] as? String == "Ada")
            let statistics = try await ada.request(StatisticsRequest()).get()
            #expect(statistics.published.isEmpty && statistics.subscribed.isEmpty)
        }
    }
}
