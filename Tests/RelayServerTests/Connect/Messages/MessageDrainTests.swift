import ControlServer
import Signaling
import Testing

@Suite("CON-6 Drain: clients that are logged in without a session", .serialized)
struct MessageDrainTests {
    private static let event = Event.draining(Draining(seconds: 7, url: "wss://other.example"))

    @Test("CON-6 they are told of the drain, are still served, and are told of the end") func told() async throws {
        try await withMessages { relay in
            let ada = try await relay.login("ada")
            let bob = try await relay.login("bob")
            relay.messages.announceDrain(seconds: 7, url: "wss://other.example")
            for client in [ada, bob] { #expect(try await client.next(.draining) == Self.event) }
            #expect(try await ada.send("hello", to: .peer("bob")).get().number == 1)
            _ = try await bob.nextMessaging(.messageReceived)
            // A repeated login of a logged-in client is not refused as a new one.
            #expect(try await ada.request(LoginRequest()).get().user == "ada")
            await relay.messages.endAll()
            for client in [ada, bob] {
                #expect(try await client.next(.disconnected) == .disconnected(Disconnected(reason: .relayShutdown)))
                #expect(try await client.closing() == .init(code: 1001, reason: "relayShutdown"))
                #expect(client.events.allSatisfy { $0.seq == 0 })
            }
        }
    }

    @Test("CON-6 a client in a session is told once, by the session", arguments: [true, false])
    func inSession(isBack: Bool) async throws {
        try await withMessages { relay in
            var ada = try await relay.login("ada")
            let joined = try await ada.join("Ada", token: TestToken(identity: "ada"))
            if isBack {
                await ada.cut()
                try await eventually("the loss is noticed") { relay.messages.counts.sockets == 0 }
                ada = try await relay.login("ada")
                let resume = ResumeRequest(resumeToken: joined.resumeToken, lastEvent: 0)
                _ = try await ada.request(resume).get()
            }
            relay.messages.announceDrain(seconds: 7, url: "wss://other.example")
            await relay.liveSessions.announceDrain(seconds: 7, url: "wss://other.example")
            #expect(try await ada.next(.draining) == Self.event)
            await relay.messages.endAll()
            #expect(try await ada.ask(PingRequest()) == nil)
            await relay.liveSessions.endAll()
            #expect(try await ada.closing() == .init(code: 1001, reason: "relayShutdown"))
            let ends = ada.events.filter { [.draining, .disconnected].contains($0.event.name) }
            #expect(ends.count == 2 && ends.allSatisfy { $0.seq > 0 })
        }
    }

    @Test("CON-6 new logins are refused with the reason") func late() async throws {
        try await withMessages { relay in
            let client = try await relay.connect()
            relay.messages.announceDrain(seconds: 7, url: nil)
            let login = LoginRequest(token: TestToken(identity: "ada").text)
            guard case .failure(let error) = try await client.request(login) else {
                Issue.record("it is logged in")
                return
            }
            #expect(error.code == .draining)
            #expect(relay.messages.counts.sockets == 0)
        }
    }
}
