import MediaBase
import MillraceClient
import NIOConcurrencyHelpers
import Signaling
import TestMedia
import Testing

@Suite("SDK and relay: rules", .serialized) struct SessionRulesTests {
    @Test("SIG-1 SIG-2 signals reach all participants, including the sender, in order", .timeLimit(.minutes(1)))
    func signals() async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await relay.join("Ada", canHost: true)
            let bob = try await relay.join("Bob")
            let feeds = [ada.events, bob.events]
            for number in 1...50 { try await bob.signal(type: "count", data: "\(number)") }
            for feed in feeds {
                let heard = NIOLockedValueBox<[String]>([])
                _ = await first(of: feed, "50 signals") { event -> Bool? in
                    guard case .signal(let from, "count", let data) = event, from == bob.connection else { return nil }
                    return heard.withLockedValue { heard in
                        heard.append(data)
                        return heard.count == 50 ? true : nil
                    }
                }
                #expect(heard.withLockedValue { $0 } == (1...50).map { "\($0)" })
            }
            // Signals to one participant only.
            let adas = ada.events
            let bobs = bob.events
            if let me = ada.connection { try await bob.signal(type: "whisper", data: "x", to: me) }
            _ = await first(of: adas, "the whisper") { event -> Bool? in
                if case .signal(_, "whisper", "x") = event { return true }
                return nil
            }
            try await bob.signal(type: "end")
            let next = await first(of: bobs, "the end") { event -> String? in
                if case .signal(_, let type, _) = event { return type }
                return nil
            }
            #expect(next == "end")
            await #expect(throws: SessionError.self) { try await bob.signal(type: "no spaces") }
            await ada.disconnect()
            await bob.disconnect()
        }
    }

    @Test("USR-1 USR-3 USR-4 USR-5 CON-2 roles, names and the list of participants", .timeLimit(.minutes(1)))
    func roles() async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await relay.join("Ada", canHost: true)
            let adas = ada.events
            let bob = try await relay.join("Bob", canHost: true)
            _ = await first(of: adas, "Bob") { event -> Bool? in
                if case .connectionCreated(let user) = event, user.name == "Bob" { return true }
                return nil
            }
            #expect(ada.localUser?.role == .host && bob.localUser?.role == .participant)
            #expect(bob.remoteUsers.map(\.name) == ["Ada"])
            #expect(bob.host == ada.connection)
            guard let bobsID = bob.connection, let adasID = ada.connection else {
                Issue.record("not connected")
                return
            }
            await #expect(throws: ErrorCode.notPermitted) {
                try await self.code { try await bob.rename(adasID, to: "Eve") }
            }
            let bobs = bob.events
            try await ada.rename(bobsID, to: "Robert")
            _ = await first(of: bobs, "the name") { event -> Bool? in
                if case .userChanged(let user) = event, user.name == "Robert" { return true }
                return nil
            }
            #expect(bob.localUser?.name == "Robert")
            try await ada.setManager(bobsID)
            _ = await first(of: bobs, "the role") { event -> Bool? in
                if case .userChanged(let user) = event, user.id == bobsID, user.role == .manager { return true }
                return nil
            }
            // A manager has permissions that a participant lacks.
            try await bob.rename(adasID, to: "Countess")
            try await ada.removeUser(bobsID)
            let reason = await first(of: bobs, "the removal") { event -> DisconnectReason? in
                if case .didDisconnect(let reason) = event { return reason }
                return nil
            }
            #expect(reason == .removed)
            #expect(bob.status == .notConnected)
            await ada.disconnect()
        }
    }

    /// Throws the error code of the error that `body` throws.
    private func code(_ body: () async throws -> Void) async throws {
        do { try await body() } catch let error as SessionError { throw error.code }
    }

    @Test("MUT-1 MUT-3 MUT-4 USR-8 a force mute silences, late streams start muted, and only the publisher lifts it")
    func forceMute() async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await relay.join("Ada", canHost: true)
            let bob = try await relay.join("Bob")
            let publisher = Publisher(TestSource.settings)
            let muted = publisher.events
            let stream = try await bob.publish(publisher)
            let source = TestSource(publisher)
            let subscriber = try await SessionMediaTests.subscribe(ada, to: stream)
            let tone = TestSource.tone
            _ = await first(of: subscriber.canvas.audio(limit: 500), "the tone") { block -> Bool? in
                ToneDetector.holds(tone, in: block) ? true : nil
            }
            await #expect(throws: ErrorCode.notPermitted) { try await self.code { try await bob.forceMuteAll() } }
            try await ada.forceMuteAll()
            _ = await first(of: muted, "the mute") { $0 == .muteForced ? true : nil }
            #expect(publisher.isAudioMuted)
            #expect(bob.isMuteForced && ada.isMuteForced)
            #expect(bob.streams[stream]?.isAudioMuted == true)
            let cleo = try await relay.join("Cleo")
            #expect(cleo.isMuteForced)
            let late = Publisher(TestSource.settings)
            let lateStream = try await cleo.publish(late)
            let lateSource = TestSource(late)
            _ = try await SessionMediaTests.subscribe(ada, to: lateStream)
            #expect(ada.streams[lateStream]?.isAudioMuted == true)
            try await ada.disableForceMute()
            try await publisher.setMuted(.audio, false)
            _ = await first(of: subscriber.canvas.audio(limit: 500), "the tone again") { block -> Bool? in
                ToneDetector.holds(tone, in: block) ? true : nil
            }
            _ = (source, lateSource)
            for session in [ada, bob, cleo] { await session.disconnect() }
        }
    }

    @Test("STR-1 client and relay accept stream names of 1 to 150 characters", .timeLimit(.minutes(1)))
    func streamNames() async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await relay.join("Ada")
            for name in ["", String(repeating: "x", count: 151)] {
                await #expect(throws: ErrorCode.invalidStreamName) {
                    try await self.code {
                        _ = try await ada.publish(Publisher(PublisherSettings(name: name, video: nil)))
                    }
                }
            }
            #expect(ada.publishers.isEmpty)
            let longest = String(repeating: "x", count: 150)
            _ = try await ada.publish(Publisher(PublisherSettings(name: longest, video: nil)))
            await ada.disconnect()
        }
    }

    @Test("SES-4 SES-5 SES-6 TOK-2 TOK-3 passwords, tokens, ending for all", .timeLimit(.minutes(1)))
    func entering() async throws {
        try await RelayUnderTest.run { relay in
            let ada = Session(url: relay.url, token: try await relay.token(canHost: true))
            #expect(ada.capabilities == nil)
            try await ada.connect(name: "Ada", password: "secret")
            #expect(ada.capabilities?.canPublish == true)
            let bob = Session(url: relay.url, token: try await relay.token())
            await #expect(throws: ErrorCode.passwordNeeded) {
                try await self.code { try await bob.connect(name: "Bob") }
            }
            #expect(bob.status == .connecting)
            await #expect(throws: ErrorCode.passwordWrong) {
                try await self.code { try await bob.connect(name: "Bob", password: "wrong") }
            }
            try await bob.connect(name: "Bob", password: "secret")
            let broken = Session(url: relay.url, token: try await relay.token() + "x")
            await #expect(throws: ErrorCode.tokenBadSignature) {
                try await self.code { try await broken.connect(name: "Eve", password: "secret") }
            }
            #expect(broken.status == .failed)
            await #expect(throws: ErrorCode.notPermitted) {
                try await self.code { try await bob.leave(endForAll: true) }
            }
            #expect(bob.status == .connected)
            let bobs = bob.events
            try await ada.leave(endForAll: true)
            let reason = await first(of: bobs, "the end") { event -> DisconnectReason? in
                if case .didDisconnect(let reason) = event { return reason }
                return nil
            }
            #expect(reason == .sessionEnded)
            #expect(bob.streams.isEmpty && bob.connection == nil)
        }
    }

    @Test("ISS-1 a report receives an id, and fails without a connection", .timeLimit(.minutes(1)))
    func reportIssue() async throws {
        try await RelayUnderTest.run {
            $0.limitIssueSeconds = 0
        } _: { relay in
            let ada = try await relay.join("Ada", canHost: true)
            let first = try await ada.reportIssue("the video froze")
            let second = try await ada.reportIssue()
            #expect(!first.isEmpty && first != second)
            await ada.disconnect()
            await #expect(throws: ErrorCode.notConnected) {
                try await self.code { _ = try await ada.reportIssue() }
            }
        }
    }
}
