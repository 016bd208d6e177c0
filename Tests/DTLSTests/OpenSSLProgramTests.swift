import DTLS
import MediaBase
import MillraceTestKit
import SRTP
import Testing

/// Handshakes with OpenSSL's own programs over loopback, which print the resulting keys.
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

    /// Returns the exporter's result from the keys that were derived from it.
    private func block(client: SRTPKey, server: SRTPKey) -> [UInt8] {
        Array(client.masterKey) + server.masterKey + client.masterSalt + server.masterSalt
    }

    /// Moves datagrams between a connection and the program until `done`, with a clock that only the test advances.
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

    /// A server, and `s_client` that connects to it; the test stops the program at the end.
    private struct Call {
        let socket: UDPEndpoint
        let program: OpenSSLProgram
        let server: DTLSConnection
    }

    /// - Parameters:
    ///   - expected: fingerprint of the client's certificate; nil: the right one, by `algorithm`.
    ///   - showsCertificate: whether the client has one.
    ///   - profiles: SRTP profiles, as OpenSSL names them; nil: no SRTP.
    private func begin(
        _ key: OpenSSLProgram.Key = .ecdsa, identity: DTLSIdentity = Identities.ecdsa,
        expected: CertificateFingerprint? = nil, algorithm: CertificateFingerprint.Algorithm = .sha256,
        suites: [SRTPSuite] = [.aeadAES128GCM, .aesCM128HMACSHA1_80], showsCertificate: Bool = true,
        profiles: String? = "SRTP_AES128_CM_SHA1_80", version: [String] = ["-dtls1_2"], exporting: [String] = []
    ) throws -> Call {
        let socket = try UDPEndpoint()
        let program = try OpenSSLProgram(key)
        let own = try #require(try program.fingerprint(algorithm))
        let server = try DTLSConnection(
            role: .server, identity: identity, peerFingerprints: [expected ?? own], suites: suites)
        let certificate = showsCertificate ? ["-cert", program.certificate, "-key", program.key] : []
        let srtp = profiles.map { ["-use_srtp", $0] } ?? []
        try program.start(
            ["s_client"] + version + ["-connect", "127.0.0.1:\(socket.port)"] + certificate + srtp + exporting)
        return Call(socket: socket, program: program, server: server)
    }

    private func keys(_ connection: DTLSConnection) -> DTLSKeys? {
        if case .connected(let keys) = connection.state { keys } else { nil }
    }

    @Test(arguments: SRTPSuite.allCases, OpenSSLProgram.Key.allCases)
    func aClientOfOpenSSLHasTheSameKeys(suite: SRTPSuite, key: OpenSSLProgram.Key) throws {
        // The key type that the program does not use.
        let call = try begin(
            key, identity: key == .rsa ? Identities.ecdsa : Identities.rsa, suites: [suite],
            profiles: Self.profiles[suite]!, exporting: export(suite))
        defer { call.program.stop() }
        converse(call.server, call.socket) { call.program.keyingMaterial != nil }
        let keys = try #require(self.keys(call.server), "\(call.server.state) \(call.program.printed)")
        #expect(keys.suite == suite)
        #expect(call.program.keyingMaterial == block(client: keys.remote, server: keys.local))
    }

    @Test(arguments: SRTPSuite.allCases, OpenSSLProgram.Key.allCases)
    func aServerOfOpenSSLHasTheSameKeys(suite: SRTPSuite, key: OpenSSLProgram.Key) throws {
        // The key type that the program does not use.
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
        let call = try begin(algorithm: algorithm, profiles: "SRTP_AEAD_AES_128_GCM:SRTP_AES128_CM_SHA1_80")
        defer { call.program.stop() }
        converse(call.server, call.socket) { keys(call.server) != nil }
        #expect(keys(call.server)?.suite == .aeadAES128GCM)
    }

    @Test func aPeerWithoutCertificateIsRefused() throws {
        let call = try begin(expected: Identities.rsa.fingerprint, showsCertificate: false)
        defer { call.program.stop() }
        converse(call.server, call.socket) { call.server.state != .handshaking }
        #expect(call.server.state == .failed(.noPeerCertificate))
    }

    @Test func aPeerWithoutSRTPIsRefused() throws {
        let call = try begin(profiles: nil)
        defer { call.program.stop() }
        converse(call.server, call.socket) { call.server.state != .handshaking }
        #expect(call.server.state == .failed(.noSRTPProfile))
    }

    @Test func aPeerWithTheCertificateOfAnotherIsRefused() throws {
        let call = try begin(expected: Identities.rsa.fingerprint)
        defer { call.program.stop() }
        converse(call.server, call.socket) { call.server.state != .handshaking }
        #expect(call.server.state == .failed(.fingerprintMismatch))
    }

    @Test func aPeerThatKnowsOnlyDTLS10IsRefused() throws {
        let call = try begin(showsCertificate: false, version: ["-dtls1", "-cipher", "ALL:@SECLEVEL=0"])
        defer { call.program.stop() }
        converse(call.server, call.socket) { call.server.state != .handshaking }
        guard case .failed(.handshake) = call.server.state else {
            Issue.record("\(call.server.state) \(call.program.printed)")
            return
        }
    }

    @Test("Application data is counted once as an authentic record, and not if it is damaged or repeated")
    func applicationData() throws {
        let call = try begin()
        defer { call.program.stop() }
        converse(call.server, call.socket) {
            keys(call.server) != nil && call.program.printed.contains("Verify return code")
        }
        #expect(call.server.authenticRecords == 1, "the end of the handshake")
        call.program.type("still here\n")
        var data: [UInt8] = []
        for _ in 0..<100 where data.first != 23 { data = call.socket.receive(milliseconds: 50) ?? [] }
        #expect(data.first == 23)
        var damaged = data
        damaged[damaged.count - 1] ^= 1
        for (datagram, count) in [(damaged, 1), (data, 2), (data, 2)] as [([UInt8], UInt64)] {
            datagram.withUnsafeBytes { call.server.receive($0, now: .seconds(1)) }
            #expect(
                call.server.authenticRecords == count && keys(call.server) != nil && call.server.nextDatagram() == nil)
        }
    }

    @Test func closingEndsTheProgram() throws {
        let call = try begin()
        defer { call.program.stop() }
        converse(call.server, call.socket) {
            keys(call.server) != nil && call.program.printed.contains("Verify return code")
        }
        #expect(keys(call.server) != nil)
        call.server.close(now: .seconds(10))
        while let datagram = call.server.nextDatagram() { call.socket.send(datagram) }
        // Its own close_notify is received before it ends.
        while let datagram = call.socket.receive(milliseconds: 500) {
            datagram.withUnsafeBytes { call.server.receive($0, now: .seconds(10)) }
        }
        // The program prints this after a close_notify, and not if it lost its peer in another way. It may be slow on a busy machine.
        for _ in 0..<50 where !call.program.printed.hasSuffix("closed\n") {
            _ = call.socket.receive(milliseconds: 100)
        }
        #expect(call.program.printed.hasSuffix("closed\n"))
    }
}
