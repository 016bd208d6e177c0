import MediaBase
import MillraceTestKit
import RelayServer
import Signaling
import Testing

@testable import MillraceClient

@Suite("SDK and relay: choice of the media transport", .serialized) struct TransportChoiceTests {
    private func call(
        _ choice: TransportChoice, over transport: MediaTransport, certificate: String? = nil,
        _ configure: (inout RelayConfiguration) -> Void = { _ in }
    ) async throws {
        try await RelayUnderTest.run(configure) { relay in
            func join(_ name: String) async throws -> Session {
                try await relay.join(name, url: certificate.map { _ in "wss://127.0.0.1:\(relay.port)" }) {
                    $0.transport = choice
                    $0.trustedCertificates = certificate
                }
            }
            let ada = try await join("Ada")
            let bob = try await join("Bob")
            #expect(try await ada.core.mediaTransport() == transport)
            let publisher = Publisher(TestSource.settings)
            let stream = try await ada.publish(publisher)
            let source = TestSource(publisher)
            let subscriber = try await SessionMediaTests.subscribe(bob, to: stream)
            #expect(await SessionMediaTests.counters(subscriber, 20, "20 frames").count >= 20)
            #expect(await subscriber.statistics.audioPackets > 10)
            try await ada.unpublish(publisher)
            #expect(source.count > 10)
            await bob.disconnect()
            await ada.disconnect()
        }
    }

    @Test(
        "native transport if the relay accepts it, and by choice", .timeLimit(.minutes(2)),
        arguments: [TransportChoice.automatic, .native])
    func native(_ choice: TransportChoice) async throws { try await call(choice, over: .native) }

    @Test(
        "native transport over TLS, if the relay accepts keys over no other connection", .timeLimit(.minutes(2)),
        .enabled(if: CertificateMaker.isThere, "openssl is not there"),
        arguments: [TransportChoice.automatic, .native])
    func nativeOverTLS(_ choice: TransportChoice) async throws {
        let maker = CertificateMaker()
        try maker.write(name: "relay")
        try await call(choice, over: .native, certificate: maker.certificate) {
            $0.connectKeysOnLoopback = false
            $0.httpTLSCertificate = maker.certificate
            $0.httpTLSKey = maker.key
        }
    }

    @Test("WebRTC transport by choice", .timeLimit(.minutes(2))) func webRTC() async throws {
        try await call(.webRTC, over: .webRTC)
    }

    @Test(
        "WebRTC transport if the relay accepts no keys over this connection; a client that requires native fails",
        .timeLimit(.minutes(2)))
    func fallback() async throws {
        try await call(.automatic, over: .webRTC) { $0.connectKeysOnLoopback = false }
        try await RelayUnderTest.run({ $0.connectKeysOnLoopback = false }) { relay in
            let ada = try await relay.join("Ada") { $0.transport = .native }
            let error = await #expect(throws: SessionError.self) {
                _ = try await ada.publish(Publisher(TestSource.settings))
            }
            #expect(error?.code == .insecureConnection)
            await ada.disconnect()
        }
    }
}
