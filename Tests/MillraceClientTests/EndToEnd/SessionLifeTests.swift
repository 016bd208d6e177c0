import MillraceClient
import MillraceTestKit
import NIOConcurrencyHelpers
import Signaling
import Testing

@Suite("SDK and relay: connections", .serialized) struct SessionLifeTests {
    @Test("CON-1 every status change is reported in order, beginning with the current status", .timeLimit(.minutes(1)))
    func statusChanges() async throws {
        try await RelayUnderTest.run { relay in
            let proxy = try await TCPProxy.start(to: relay.port)
            let ada = Session(url: "http://127.0.0.1:\(proxy.port)", token: try await relay.token(canHost: true))
            let changes = ada.statusChanges
            let reading = Task {
                var statuses: [SessionStatus] = []
                for await status in changes {
                    statuses.append(status)
                    if statuses.count > 1, status == .notConnected { break }
                }
                return statuses
            }
            try await ada.connect(name: "Ada")
            let back = ada.events
            proxy.cut()
            _ = await first(of: back, "the return") { $0 == .didReconnect(isNewConnection: false) ? true : nil }
            await ada.disconnect()
            #expect(
                await reading.value == [
                    .notConnected, .connecting, .connected, .reconnecting, .connected, .disconnecting, .notConnected,
                ])
            let late = Session(url: "http://127.0.0.1:1", token: "")
            var iterator = late.statusChanges.makeAsyncIterator()
            #expect(await iterator.next() == .notConnected)
            await proxy.stop()
        }
    }

    private final class Listener: SessionDelegate {
        let calls: AsyncStream<String>
        private let noting: AsyncStream<String>.Continuation
        private let isHere: @Sendable () -> Bool

        init(isHere: @escaping @Sendable () -> Bool) {
            self.isHere = isHere
            (calls, noting) = AsyncStream.makeStream()
        }

        private func note(_ call: String) { noting.yield(isHere() ? call : "\(call), elsewhere") }
        func sessionDidConnect(_ session: Session) { note("connect") }
        func session(_ session: Session, connectionCreated user: UserInfo) { note("created \(user.name)") }
        func session(_ session: Session, connectionDestroyed user: UserInfo, reason: DisconnectReason) {
            note("destroyed \(user.name) \(reason.rawValue)")
        }
        func session(_ session: Session, receivedSignal type: String, data: String, from: ConnectionID?) {
            note("signal \(data)")
        }
        func session(_ session: Session, didDisconnect reason: DisconnectReason) { note("disconnect") }
    }

    @Test("CON-2 a delegate is called on the executor of the application, in order", .timeLimit(.minutes(1)))
    func delegates() async throws {
        try await RelayUnderTest.run { relay in
            let executor = NamedExecutor()
            let own = Listener { NamedExecutor.isCurrent }
            let mains = Listener { MainQueue.isCurrent }
            let ada = Session(url: relay.url, token: try await relay.token(canHost: true))
            ada.add(own, on: .executor(executor))
            ada.add(mains, on: .main)
            try await ada.connect(name: "Ada")
            let bob = try await relay.join("Bob")
            for number in 1...20 { try await bob.signal(type: "n", data: "\(number)") }
            let adas = ada.events
            await bob.disconnect()
            _ = await first(of: adas, "Bob's end") { event -> Bool? in
                if case .connectionDestroyed = event { return true }
                return nil
            }
            await ada.disconnect()
            let wanted =
                ["connect", "created Bob"] + (1...20).map { "signal \($0)" } + ["destroyed Bob left", "disconnect"]
            for listener in [own, mains] {
                var calls: [String] = []
                for await call in listener.calls {
                    calls.append(call)
                    if calls.count == wanted.count { break }
                }
                #expect(calls == wanted)
            }
        }
    }

    @Test("SES-6 two concurrent leaves both succeed; a refused end for all does not fail a concurrent leave")
    func leavesTwice() async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await relay.join("Ada", canHost: true)
            async let first: Void = ada.leave()
            async let second: Void = ada.leave()
            try await first
            try await second
            #expect(ada.status == .notConnected)

            let cleo = try await relay.join("Cleo", canHost: true)
            let bob = try await relay.join("Bob")
            let refused = Task { () -> ErrorCode? in
                do throws(SessionError) { try await bob.leave(endForAll: true) } catch { return error.code }
                return nil
            }
            let left = Task { () -> ErrorCode? in
                do throws(SessionError) { try await bob.leave() } catch { return error.code }
                return nil
            }
            // A plain leave succeeds whichever of the two runs first.
            #expect(await left.value == nil)
            #expect([.notPermitted, .notConnected].contains(await refused.value))
            #expect(bob.status == .notConnected)
            await cleo.disconnect()
        }
    }

    @Test("SES-1 SES-2 SES-5 USR-2 the first join creates a session, others join it, its name is free after it ends")
    func sessions() async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await relay.join("Ada", session: "Team Room", canHost: true)
            let bob = Session(url: relay.url, token: try await relay.token(session: "tEAM rOOM"))
            try await bob.connect(name: "")
            let cleo = Session(url: relay.url, token: try await relay.token(session: "Team Room 2"))
            try await cleo.connect(name: String(repeating: "c", count: 300))
            #expect(ada.sessionName == "team room" && bob.sessionName == "team room")
            #expect(ada.sessionID == bob.sessionID && ada.sessionID != cleo.sessionID)
            #expect(bob.localUser?.name == "null" && bob.remoteUsers.map(\.name) == ["Ada"])
            #expect(cleo.localUser?.name == String(repeating: "c", count: 200) && cleo.remoteUsers.isEmpty)
            let first = ada.sessionID
            for session in [ada, bob, cleo] { await session.disconnect() }
            let again = try await relay.join("Ada", session: "Team Room", canHost: true)
            #expect(again.sessionID != nil && again.sessionID != first)
            await again.disconnect()
        }
    }

    @Test(
        "CON-5 wss with a private certificate is trusted if it is configured, and refused otherwise",
        .timeLimit(.minutes(1)),
        .enabled(if: CertificateMaker.isThere, "openssl is not there"))
    func secure() async throws {
        let maker = CertificateMaker()
        try maker.write(name: "relay")
        let other = CertificateMaker()
        try other.write(name: "another one")
        try await RelayUnderTest.run { configuration in
            configuration.httpTLSCertificate = maker.certificate
            configuration.httpTLSKey = maker.key
        } _: { relay in
            for host in ["127.0.0.1", "localhost"] {
                let url = "wss://\(host):\(relay.port)"
                let ada = try await relay.join("Ada", canHost: true, url: url) {
                    $0.trustedCertificates = maker.certificate
                }
                try await ada.signal(type: "hello")
                await ada.disconnect()
                let refused: [(String?, ErrorCode)] = [
                    (nil, .connectFailed), (other.certificate, .connectFailed), ("/does/not/exist.pem", .invalidField),
                ]
                for (trusted, code) in refused {
                    do {
                        let eve = try await relay.join("Eve", canHost: true, url: url) {
                            $0.trustedCertificates = trusted
                        }
                        Issue.record("joined by trusting \(trusted ?? "the system")")
                        await eve.disconnect()
                    } catch let error as SessionError {
                        #expect(error.code == code)
                    }
                }
            }
        }
    }
}
