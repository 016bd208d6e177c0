import NIOCore
import TLSChannel
import Testing

@Suite("Mutual TLS by fingerprints") struct TLSFingerprintTests {
    /// The server has `leaf`; the client has `other` unless it presents none.
    private func pair(
        _ clients: KnownPeers, trusts fingerprint: [UInt8] = TestCertificates.leafFingerprint,
        certificate: [UInt8] = TestCertificates.leaf, host: String = "10.0.0.5", presents: Bool = true
    ) throws -> TLSPair {
        let server = try TLSContext.server(certificates: certificate, key: TestCertificates.key) {
            clients.accept($0)
        }
        let client = try TLSContext.client(
            .fingerprint(fingerprint),
            identity: presents ? (TestCertificates.other, TestCertificates.otherKey) : nil)
        return try TLSPair(
            TLSEnd(TLSHandler(client: client, host: host)), TLSEnd(TLSHandler(server: server)))
    }

    @Test("both sides accept a known certificate, whatever its names and dates")
    func known() throws {
        let clients = KnownPeers([TestCertificates.otherFingerprint])
        for (certificate, fingerprint) in [
            (TestCertificates.leaf, TestCertificates.leafFingerprint),
            (TestCertificates.expired, TestCertificates.expiredFingerprint),
        ] {
            let pair = try pair(clients, trusts: fingerprint, certificate: certificate)
            pair.client.send([1, 2])
            try pair.exchange()
            pair.server.send([3])
            try pair.exchange()
            #expect(pair.server.recorder.received == [1, 2] && pair.client.recorder.received == [3])
            #expect(pair.client.recorder.errors.isEmpty && pair.server.recorder.errors.isEmpty)
        }
        #expect(clients.lookups == [TestCertificates.otherFingerprint, TestCertificates.otherFingerprint])
    }

    @Test("a client refuses a server with another certificate before it presents its own") func wrongServer() throws {
        let clients = KnownPeers([TestCertificates.otherFingerprint])
        for fingerprint in [
            TestCertificates.expiredFingerprint, Array(TestCertificates.leafFingerprint.dropLast()), [],
        ] {
            let pair = try pair(clients, trusts: fingerprint, host: "relay.example")
            pair.client.send([1])
            try pair.exchange()
            #expect(pair.client.recorder.failures == [.unknownPeer] && !pair.client.channel.isActive)
            #expect(pair.server.recorder.received.isEmpty && !pair.server.channel.isActive)
        }
        #expect(clients.lookups.isEmpty)
    }

    @Test("a server refuses a client with an unknown certificate during the handshake, and the client learns it")
    func wrongClient() throws {
        let pair = try pair(KnownPeers([TestCertificates.leafFingerprint]))
        pair.client.send([1])
        try pair.exchange()
        #expect(pair.server.recorder.failures == [.unknownPeer] && pair.server.recorder.received.isEmpty)
        guard case .alert = try #require(pair.client.recorder.failures.first) else {
            Issue.record("\(pair.client.recorder.errors)")
            return
        }
        #expect("\(TLSFailure.unknownPeer)".contains("not that of a known relay"))
    }

    @Test("a server refuses a client without a certificate") func noCertificate() throws {
        let clients = KnownPeers([TestCertificates.otherFingerprint])
        let pair = try pair(clients, presents: false)
        pair.client.send([1])
        try pair.exchange()
        #expect(pair.server.recorder.failures == [.noCertificate] && pair.server.recorder.received.isEmpty)
        #expect(!pair.client.channel.isActive && clients.lookups.isEmpty)
    }

    @Test("a client is accepted or refused by the table at the time of its handshake") func changes() throws {
        let clients = KnownPeers()
        let server = try TLSContext.server(certificates: TestCertificates.leaf, key: TestCertificates.key) {
            clients.accept($0)
        }
        let client = try TLSContext.client(
            .fingerprint(TestCertificates.leafFingerprint),
            identity: (TestCertificates.other, TestCertificates.otherKey))
        for isKnown in [false, true, false] {
            clients.replace(by: isKnown ? [TestCertificates.otherFingerprint] : [])
            let pair = try TLSPair(
                TLSEnd(TLSHandler(client: client, host: "10.0.0.5")), TLSEnd(TLSHandler(server: server)))
            pair.client.send([1])
            try pair.exchange()
            #expect(pair.server.recorder.received == (isKnown ? [1] : []))
            #expect(pair.server.recorder.failures == (isKnown ? [] : [.unknownPeer]))
        }
    }

    @Test("a connection checks its peer after its context was released") func lifetime() throws {
        let clients = KnownPeers([TestCertificates.otherFingerprint])
        // The contexts are released when `pair` returns, before the handshake.
        let pair = try pair(clients)
        try pair.exchange()
        #expect(clients.lookups == [TestCertificates.otherFingerprint] && pair.server.channel.isActive)
    }

    @Test("a client's key must belong to its certificate") func mismatch() throws {
        #expect(throws: TLSFailure.keyMismatch) {
            try TLSContext.client(
                .fingerprint(TestCertificates.leafFingerprint), identity: (TestCertificates.other, TestCertificates.key)
            )
        }
    }

    @Test("peers with fingerprints do not negotiate TLS 1.2") func versions() throws {
        let random = [UInt8](repeating: 7, count: 32)
        // ClientHello of TLS 1.2: no session, one suite, no compression, the group P-256 and one signature scheme.
        let extensions: [UInt8] = [0, 10, 0, 4, 0, 2, 0, 23, 0, 13, 0, 4, 0, 2, 4, 3]
        let body: [UInt8] = [3, 3] + random + [0, 0, 2, 0xC0, 0x2B, 1, 0, 0, UInt8(extensions.count)] + extensions
        let hello: [UInt8] = [22, 3, 1, 0, UInt8(body.count + 4), 1, 0, 0, UInt8(body.count)] + body
        let clients = KnownPeers()
        let contexts = [
            (try TLSContext.server(certificates: TestCertificates.leaf, key: TestCertificates.key), true),
            (
                try TLSContext.server(
                    certificates: TestCertificates.leaf, key: TestCertificates.key, clients: { clients.accept($0) }),
                false
            ),
        ]
        for (context, isTaken) in contexts {
            let end = try TLSEnd(TLSHandler(server: context))
            try end.receive(hello)
            #expect(end.channel.isActive == isTaken, "\(end.recorder.errors)")
            end.end()
        }
    }
}
