import Foundation
import NIOCore
import Signaling
import Testing

@Suite("Signals, floods and slow readers over the WebSocket")
struct SignalTests {
    @Test("SIG-1 the error of an invalid signal names the field")
    func rules() async throws {
        try await withConnect { relay in
            let (ada, a) = try await relay.join("Ada")
            let (ben, b) = try await relay.join("Ben")
            let long = String(repeating: "x", count: 129)
            for type in ["with space", long, "ä"] {
                #expect(try await ada.ask(SignalRequest(type: type))?.code == .invalidSignalType)
            }
            let data = String(repeating: "x", count: 8 * 1_024)
            #expect(
                try await ada.ask(SignalRequest(type: "t", data: data + "x"))?.code == .signalDataTooLong)
            #expect(try await ada.ask(SignalRequest(type: "t", data: data, to: b.connection)) == nil)
            let got = try await ben.next(.signal)
            #expect(got == .signal(SignalReceived(from: a.connection, type: "t", data: data)))
            // A signal to one client reaches no other; a signal to all reaches its sender, too.
            #expect(!ada.events.contains { $0.event.name == .signal })
            #expect(try await ada.ask(SignalRequest(type: "all")) == nil)
            #expect(try await ada.next(.signal) == .signal(SignalReceived(from: a.connection, type: "all", data: "")))
        }
    }

    @Test("SIG-2 the order of 10,000 signals is kept", .timeLimit(.minutes(2)))
    func order() async throws {
        // Readers are slow in debug builds; other tests cover slow readers.
        try await withConnect({ $0.connect.outbox.unsentEvents = 20_000 }) { relay in
            let (ada, a) = try await relay.join("Ada")
            var readers: [SocketClient] = []
            for index in 0..<3 { readers.append(try await relay.join("Reader \(index)").0) }
            let count = 10_000
            for number in 0..<count {
                try await ada.post(SignalRequest(type: "n", data: String(number)))
            }
            for reader in readers + [ada] {
                try await eventually("all signals", within: .seconds(60)) {
                    reader.events.count { $0.event.name == .signal } == count
                }
                let events = reader.events
                #expect(events.map(\.seq) == Array(1...UInt64(events.count)))
                var next = 0
                for message in events {
                    guard case .signal(let signal) = message.event else { continue }
                    guard signal.from == a.connection, signal.data == String(next) else {
                        Issue.record("\(signal.data) instead of \(next)")
                        break
                    }
                    next += 1
                }
                #expect(next == count)
            }
        }
    }

    @Test("a reader that does not read is dropped without delaying others", .timeLimit(.minutes(2)))
    func slowReader() async throws {
        try await withConnect({
            $0.connect.outbox.unsentEvents = 500
            $0.connect.outbox.unsentBytes = 2 << 20
        }) { relay in
            let (ada, _) = try await relay.join("Ada")
            let (ben, _) = try await relay.join("Ben")
            let (slow, answer) = try await relay.join("Slow")
            slow.pause()
            let data = String(repeating: "x", count: 8_000)
            var sent = 0
            while relay.counts.queueOverflows == 0, sent < 20_000 {
                #expect(try await ada.ask(SignalRequest(type: "n", data: data)) == nil)
                sent += 1
            }
            #expect(relay.counts.queueOverflows == 1 && relay.counts.disconnects[.slowConsumer] == 1)
            let left = try await ben.next(.userLeft)
            #expect(left == .userLeft(UserLeft(user: answer.connection, reason: .slowConsumer)))
            #expect(try await ben.ask(PingRequest()) == nil)
            #expect(ben.events.count { $0.event.name == .signal } >= sent)
            try await eventually("its socket is closed") { relay.counts.sockets == 2 }
            let resume = ResumeRequest(resumeToken: answer.resumeToken, lastEvent: 0)
            let again = try await relay.connect()
            #expect(try await again.request(resume).failure?.code == .resumeExpired)
        }
    }

    @Test("a flood is refused, then its connection is closed; others are not affected")
    func flood() async throws {
        try await withConnect({ $0.connect.messagesPerSecond = 20 }) { relay in
            let (ben, _) = try await relay.join("Ben")
            let (ada, answer) = try await relay.join("Ada")
            var codes: [ErrorCode] = []
            var ids: [UInt32] = []
            for _ in 0..<150 { ids.append(try await ada.post(PingRequest())) }
            for id in ids {
                if let error = try await ada.answer(to: id, as: Done.self).failure {
                    #expect(error.limit == "limit.messagesPerSecond" && error.retryAfter == 1)
                    codes.append(error.code)
                }
            }
            #expect(codes.count >= 15 && Set(codes) == [.rateLimited])
            try await eventually("the bucket fills again") {
                await moment(.milliseconds(200))
                return try await ada.ask(PingRequest()) == nil
            }
            for _ in 0..<1_500 where ada.closed == nil {
                _ = try? await ada.post(SignalRequest(type: "flood"))
            }
            #expect(try await ada.closing() == .init(code: 1008, reason: "protocolViolation"))
            #expect(ada.events.last?.event == .disconnected(Disconnected(reason: .protocolViolation)))
            let left = try await ben.next(.userLeft)
            #expect(left == .userLeft(UserLeft(user: answer.connection, reason: .protocolViolation)))
            #expect(try await ben.ask(PingRequest()) == nil)
        }
    }

    @Test(
        "messages that are not requests are malformed",
        arguments: [
            ("", 0, ErrorCode.malformedMessage), ("nonsense", 0, .malformedMessage), ("[]", 0, .malformedMessage),
            ("{}", 0, .malformedMessage), (#"{"id":0,"method":"ping"}"#, 0, .malformedMessage),
            (#"{"id":-1,"method":"ping"}"#, 0, .malformedMessage),
            (#"{"id":4294967296,"method":"ping"}"#, 0, .malformedMessage),
            (#"{"id":"5","method":"ping"}"#, 0, .malformedMessage), (#"{"id":5}"#, 5, .malformedMessage),
            (#"{"id":5,"method":7}"#, 5, .malformedMessage), (#"{"id":5,"method":"dance"}"#, 5, .unknownMethod),
            (#"{"id":5,"method":"signal"}"#, 5, .invalidField),
            (#"{"id":5,"method":"signal","params":{"type":7}}"#, 5, .invalidField),
            (#"{"id":5,"method":"setMuted","params":{"stream":"s","kind":"smell","isMuted":true}}"#, 5, .invalidField),
            (#"{"id":5,"method":"lockShare","params":[]}"#, 5, .invalidField),
        ])
    func malformed(text: String, id: UInt32, code: ErrorCode) async throws {
        try await withConnect { relay in
            let (client, _) = try await relay.join("Ada")
            try await client.send(text: text)
            if id == 0 {
                // The client's first request had the id 1; only this error has the id 0.
                let error = try await client.answer(to: 0, as: Done.self).failure
                #expect(error?.code == code)
            } else {
                let error = try await client.answer(to: id, as: Done.self).failure
                #expect(error?.code == code)
                if code == .invalidField { #expect(error?.field != nil) }
            }
            #expect(try await client.ask(PingRequest()) == nil)
        }
    }

    @Test func deepNestingIsNoTrap() async throws {
        try await withConnect { relay in
            let (client, _) = try await relay.join("Ada")
            let deep = String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000)
            try await client.send(text: deep)
            #expect(try await client.answer(to: 0, as: Done.self).failure?.code == .malformedMessage)
            try await client.send(text: #"{"id":9,"method":"ping","params":\#(deep)}"#)
            let error = try await client.answer(to: 0, as: Done.self).failure
            #expect(error?.code == .malformedMessage)
            #expect(try await client.ask(PingRequest()) == nil)
        }
    }
}
