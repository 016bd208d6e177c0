import DTLS
import MediaBase
import SRTP

/// Certificates for all tests, because generating an RSA key is slow.
enum Identities {
    static let ecdsa = try! DTLSIdentity.generate(.ecdsaP256)
    static let otherECDSA = try! DTLSIdentity.generate(.ecdsaP256)
    static let rsa = try! DTLSIdentity.generate(.rsa2048)

    static func of(_ kind: DTLSIdentity.Kind) -> DTLSIdentity { kind == .ecdsaP256 ? ecdsa : rsa }

    /// Returns a client and a server that know each other's fingerprints.
    static func network(
        client: DTLSIdentity = ecdsa, server: DTLSIdentity = otherECDSA,
        clientSuites: [SRTPSuite] = [.aeadAES128GCM, .aesCM128HMACSHA1_80],
        serverSuites: [SRTPSuite] = [.aeadAES128GCM, .aesCM128HMACSHA1_80], mtu: Int = 1_200
    ) throws -> Network {
        Network(
            client: try DTLSConnection(
                role: .client, identity: client, peerFingerprints: [server.fingerprint], suites: clientSuites, mtu: mtu),
            server: try DTLSConnection(
                role: .server, identity: server, peerFingerprints: [client.fingerprint], suites: serverSuites, mtu: mtu)
        )
    }
}
