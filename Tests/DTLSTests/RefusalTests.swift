import DTLS
import MediaBase
import SRTP
import Testing

@Suite("Peers that DTLS refuses") struct RefusalTests {
    private func network(client: [CertificateFingerprint], server: [CertificateFingerprint]) throws -> Network {
        Network(
            client: try DTLSConnection(role: .client, identity: Identities.ecdsa, peerFingerprints: client),
            server: try DTLSConnection(role: .server, identity: Identities.otherECDSA, peerFingerprints: server))
    }

    @Test func aServerWithAnotherCertificateIsRefused() throws {
        let network = try network(client: [Identities.rsa.fingerprint], server: [Identities.ecdsa.fingerprint])
        network.start()
        network.run()
        #expect(network.client.state == .failed(.fingerprintMismatch))
        #expect(network.server.state == .failed(.alert(42)))
        #expect(network.client.deadline == nil)
        #expect(network.server.deadline == nil)
    }

    @Test func aClientWithAnotherCertificateIsRefused() throws {
        let network = try network(client: [Identities.otherECDSA.fingerprint], server: [Identities.rsa.fingerprint])
        network.start()
        network.run()
        #expect(network.server.state == .failed(.fingerprintMismatch))
        #expect(network.client.state == .failed(.alert(42)))
    }

    @Test(arguments: CertificateFingerprint.Algorithm.allCases)
    func oneFingerprintOfSeveralIsEnough(algorithm: CertificateFingerprint.Algorithm) throws {
        let right = try #require(Identities.otherECDSA.fingerprint(algorithm))
        let wrong = try #require(Identities.rsa.fingerprint(algorithm))
        var network = try network(
            client: [wrong, Identities.rsa.fingerprint, right], server: [Identities.ecdsa.fingerprint])
        network.start()
        network.run { network.isConnected }
        #expect(network.isConnected)

        // A fingerprint with one bit changed is refused.
        var bytes = right.bytes
        bytes[bytes.count - 1] ^= 1
        let near = try #require(CertificateFingerprint(algorithm, bytes: bytes))
        network = try self.network(client: [near], server: [Identities.ecdsa.fingerprint])
        network.start()
        network.run(seconds: 5)
        #expect(network.client.state == .failed(.fingerprintMismatch))
    }

    @Test func aFailedConnectionStaysAsItIs() throws {
        let network = try network(client: [Identities.rsa.fingerprint], server: [Identities.ecdsa.fingerprint])
        network.start()
        network.run()
        let datagrams = network.sent.map(\.bytes)
        for datagram in datagrams {
            datagram.withUnsafeBytes { network.client.receive($0, now: network.now) }
        }
        network.client.start(now: network.now)
        network.client.handleTimeout(now: .never)
        network.client.close(now: network.now)
        #expect(network.client.state == .failed(.fingerprintMismatch))
        #expect(network.client.nextDatagram() == nil)
    }
}
