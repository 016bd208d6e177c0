import DTLS
import MediaBase
import MillraceTestKit
import SRTP
import Testing

/// Handshakes with OpenSSL's own programs over loopback, which print the keys that they got.
@Suite(
    "DTLS with the programs of OpenSSL",
    .enabled(if: OpenSSLProgram.tool.isInstalled, "the program openssl is not installed"), .serialized)
struct OpenSSLProgramTests {
    private static let profiles: [SRTPSuite: String] = [
        .aeadAES128GCM: "SRTP_AEAD_AES_128_GCM", .aesCM128HMACSHA1_80: "SRTP_AES128_CM_SHA1_80",
        .aesCM128HMACSHA1_32: "SRTP_AES128_CM_SHA1_32",
    ]

    private func export(_ suite: SRTPSuite) -> [String] {
        [
            "-keymatexport", "EXTRACTOR-dtls_srtp", "-keymatexportlen",
            "\(2 * (suite.masterKeyLength + suite.masterSaltLength))",
        ]
    }

    /// What an exporter gave, from the keys that were made of it.
    private func block(client: SRTPKey, server: SRTPKey) -> [UInt8] {
        Array(client.masterKey) + server.masterKey + client.masterSalt + server.masterSalt
    }

    /// Moves datagrams between a connection and the program, in a time that only the test counts, until `done`.
    private func converse(_ connection: DTLSConnection, _ socket: UDPEndpoint, until done: () -> Bool) {
        var now = MediaTime.zero
        connection.start(now: now)
        for _ in 0..<400 where !done() {
            while let datagram = connection.nextDatagram() { socket.send(datagram) }
            if let datagram = socket.receive(milliseconds: 25) {
                datagram.withUnsafeBytes { connection.receive($0, now: now) }
            } else {
                now += .milliseconds(25)
                connection.handleTimeout(now: now)
            }
        }
        while let datagram = connection.nextDatagram() { socket.send(datagram) }
    }

    private func keys(_ connection: DTLSConnection) -> DTLSKeys? {
        if case .connected(let keys) = connection.state { keys } else { nil }
    }

    @Test(arguments: SRTPSuite.allCases, OpenSSLProgram.Key.allCases)
    func aClientOfOpenSSLHasTheSameKeys(suite: SRTPSuite, key: OpenSSLProgram.Key) throws {
        // The other kind than the program's.
        let identity = key == .rsa ? Identities.ecdsa : Identities.rsa
        let socket = try UDPEndpoint()
        let program = try OpenSSLProgram(key)
        defer { program.stop() }
        let server = try DTLSConnection(
            role: .server, identity: identity, peerFingerprints: [try #require(try program.fingerprint(.sha256))],
            suites: [suite])
        try program.start(
            [
                "s_client", "-dtls1_2", "-connect", "127.0.0.1:\(socket.port)", "-cert", program.certificate,
                "-key",
                program.key, "-use_srtp", Self.profiles[suite]!,
            ] + export(suite))
        converse(server, socket) { program.keyingMaterial != nil }
        let keys = try #require(self.keys(server), "\(server.state) \(program.printed)")
        #expect(keys.suite == suite)
        #expect(program.keyingMaterial == block(client: keys.remote, server: keys.local))
    }

    @Test(arguments: SRTPSuite.allCases, OpenSSLProgram.Key.allCases)
    func aServerOfOpenSSLHasTheSameKeys(suite: SRTPSuite, key: OpenSSLProgram.Key) throws {
        // The other kind than the program's.
        let identity = key == .rsa ? Identities.ecdsa : Identities.rsa
        let socket = try UDPEndpoint()
        let program = try OpenSSLProgram(key)
        defer { program.stop() }
        let port = try UDPEndpoint().port
        socket.peer = SocketAddress("127.0.0.1", port: port)!
        let client = try DTLSConnection(
            role: .client, identity: identity, peerFingerprints: [try #require(try program.fingerprint(.sha256))],
            suites: [suite])
        try program.start(
            [
                "s_server", "-dtls1_2", "-accept", "127.0.0.1:\(port)", "-cert", program.certificate, "-key",
                program.key, "-Verify", "1", "-use_srtp", Self.profiles[suite]!,
            ] + export(suite))
        converse(client, socket) { program.keyingMaterial != nil }
        let keys = try #require(self.keys(client), "\(client.state) \(program.printed)")
        #expect(keys.suite == suite)
        #expect(program.keyingMaterial == block(client: keys.local, server: keys.remote))
    }

    @Test(arguments: CertificateFingerprint.Algorithm.allCases)
    func fingerprintsAreThoseOfOpenSSL(algorithm: CertificateFingerprint.Algorithm) throws {
        let socket = try UDPEndpoint()
        let program = try OpenSSLProgram(.ecdsa)
        defer { program.stop() }
        let server = try DTLSConnection(
            role: .server, identity: Identities.ecdsa,
            peerFingerprints: [try #require(try program.fingerprint(algorithm))])
        try program.start([
            "s_client", "-dtls1_2", "-connect", "127.0.0.1:\(socket.port)", "-cert", program.certificate, "-key",
            program.key, "-use_srtp", "SRTP_AEAD_AES_128_GCM:SRTP_AES128_CM_SHA1_80",
        ])
        converse(server, socket) { keys(server) != nil }
        #expect(keys(server)?.suite == .aeadAES128GCM)
    }

    @Test func aPeerWithoutCertificateIsRefused() throws {
        let socket = try UDPEndpoint()
        let program = try OpenSSLProgram(.ecdsa)
        defer { program.stop() }
        let server = try DTLSConnection(
            role: .server, identity: Identities.ecdsa, peerFingerprints: [Identities.rsa.fingerprint])
        try program.start([
            "s_client", "-dtls1_2", "-connect", "127.0.0.1:\(socket.port)", "-use_srtp", "SRTP_AES128_CM_SHA1_80",
        ])
        converse(server, socket) { server.state != .handshaking }
        #expect(server.state == .failed(.noPeerCertificate))
    }

    @Test func aPeerWithoutSRTPIsRefused() throws {
        let socket = try UDPEndpoint()
        let program = try OpenSSLProgram(.ecdsa)
        defer { program.stop() }
        let server = try DTLSConnection(
            role: .server, identity: Identities.ecdsa,
            peerFingerprints: [try #require(try program.fingerprint(.sha256))])
        try program.start([
            "s_client", "-dtls1_2", "-connect", "127.0.0.1:\(socket.port)", "-cert", program.certificate, "-key",
            program.key,
        ])
        converse(server, socket) { server.state != .handshaking }
        #expect(server.state == .failed(.noSRTPProfile))
    }

    @Test func aPeerWithTheCertificateOfAnotherIsRefused() throws {
        let socket = try UDPEndpoint()
        let program = try OpenSSLProgram(.ecdsa)
        defer { program.stop() }
        let server = try DTLSConnection(
            role: .server, identity: Identities.ecdsa, peerFingerprints: [Identities.rsa.fingerprint])
        try program.start([
            "s_client", "-dtls1_2", "-connect", "127.0.0.1:\(socket.port)", "-cert", program.certificate, "-key",
            program.key, "-use_srtp", "SRTP_AES128_CM_SHA1_80",
        ])
        converse(server, socket) { server.state != .handshaking }
        #expect(server.state == .failed(.fingerprintMismatch))
    }

    @Test func aPeerThatKnowsOnlyDTLS10IsRefused() throws {
        let socket = try UDPEndpoint()
        let program = try OpenSSLProgram(.ecdsa)
        defer { program.stop() }
        let server = try DTLSConnection(
            role: .server, identity: Identities.ecdsa,
            peerFingerprints: [try #require(try program.fingerprint(.sha256))])
        try program.start([
            "s_client", "-dtls1", "-cipher", "ALL:@SECLEVEL=0", "-connect", "127.0.0.1:\(socket.port)", "-use_srtp",
            "SRTP_AES128_CM_SHA1_80",
        ])
        converse(server, socket) { server.state != .handshaking }
        guard case .failed(.handshake) = server.state else {
            Issue.record("\(server.state) \(program.printed)")
            return
        }
    }

    @Test("application data is counted once as an authentic record, and not if it is damaged or repeated")
    func applicationData() throws {
        let socket = try UDPEndpoint()
        let program = try OpenSSLProgram(.ecdsa)
        defer { program.stop() }
        let server = try DTLSConnection(
            role: .server, identity: Identities.ecdsa,
            peerFingerprints: [try #require(try program.fingerprint(.sha256))])
        try program.start([
            "s_client", "-dtls1_2", "-connect", "127.0.0.1:\(socket.port)", "-cert", program.certificate, "-key",
            program.key, "-use_srtp", "SRTP_AES128_CM_SHA1_80",
        ])
        converse(server, socket) { keys(server) != nil && program.printed.contains("Verify return code") }
        #expect(server.authenticRecords == 1, "the end of the handshake")
        program.type("still here\n")
        var data: [UInt8] = []
        for _ in 0..<100 where data.first != 23 { data = socket.receive(milliseconds: 50) ?? [] }
        #expect(data.first == 23)
        var damaged = data
        damaged[damaged.count - 1] ^= 1
        for (datagram, count) in [(damaged, 1), (data, 2), (data, 2)] as [([UInt8], UInt64)] {
            datagram.withUnsafeBytes { server.receive($0, now: .seconds(1)) }
            #expect(server.authenticRecords == count && keys(server) != nil && server.nextDatagram() == nil)
        }
    }

    @Test func closingEndsTheProgram() throws {
        let socket = try UDPEndpoint()
        let program = try OpenSSLProgram(.ecdsa)
        defer { program.stop() }
        let server = try DTLSConnection(
            role: .server, identity: Identities.ecdsa,
            peerFingerprints: [try #require(try program.fingerprint(.sha256))])
        try program.start([
            "s_client", "-dtls1_2", "-connect", "127.0.0.1:\(socket.port)", "-cert", program.certificate, "-key",
            program.key, "-use_srtp", "SRTP_AES128_CM_SHA1_80",
        ])
        converse(server, socket) { keys(server) != nil && program.printed.contains("Verify return code") }
        #expect(keys(server) != nil)
        server.close(now: .seconds(10))
        while let datagram = server.nextDatagram() { socket.send(datagram) }
        // Its own close_notify comes back before it ends.
        while let datagram = socket.receive(milliseconds: 500) {
            datagram.withUnsafeBytes { server.receive($0, now: .seconds(10)) }
        }
        // What it prints when it was told, and not when it lost its peer in another way. It may take its time on a busy machine.
        for _ in 0..<50 where !program.printed.hasSuffix("closed\n") {
            _ = socket.receive(milliseconds: 100)
        }
        #expect(program.printed.hasSuffix("closed\n"))
    }
}
