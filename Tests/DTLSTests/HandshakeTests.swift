import DTLS
import MediaBase
import SRTP
import Testing

@Suite("DTLS handshakes and their keys (RFC 6347, RFC 5764)") struct HandshakeTests {
    @Test(arguments: DTLSIdentity.Kind.allCases, DTLSIdentity.Kind.allCases)
    func keysAgreeWhateverTheCertificates(client: DTLSIdentity.Kind, server: DTLSIdentity.Kind) throws {
        let network = try Identities.network(client: Identities.of(client), server: Identities.of(server))
        network.start()
        network.run { network.isConnected }
        let clientKeys = try #require(network.keys(.client))
        let serverKeys = try #require(network.keys(.server))
        #expect(clientKeys.suite == .aeadAES128GCM)
        #expect(clientKeys.local == serverKeys.remote)
        #expect(clientKeys.remote == serverKeys.local)
        #expect(clientKeys.local != clientKeys.remote)
        #expect(network.client.deadline == nil)
        #expect(network.server.deadline == nil)
        #expect(network.client.retransmissions == 0)
        #expect(network.server.retransmissions == 0)
    }

    /// Every order of every selection of suites on either side.
    private static let preferences: [[SRTPSuite]] = {
        func orders(_ rest: [SRTPSuite]) -> [[SRTPSuite]] {
            rest.flatMap { first in [[first]] + orders(rest.filter { $0 != first }).map { [first] + $0 } }
        }
        return orders(SRTPSuite.allCases)
    }()

    @Test(arguments: preferences)
    func theServersBestSuiteThatTheClientHasIsTaken(server: [SRTPSuite]) throws {
        for client in Self.preferences {
            let network = try Identities.network(clientSuites: client, serverSuites: server)
            network.start()
            network.run(seconds: 5)
            guard let common = server.first(where: client.contains) else {
                #expect(network.client.state == .failed(.noSRTPProfile))
                #expect(network.server.state == .failed(.alert(40)))
                continue
            }
            let clientKeys = try #require(network.keys(.client))
            let serverKeys = try #require(network.keys(.server))
            #expect(clientKeys.suite == common)
            #expect(clientKeys.local.bytes.count == common.masterKeyLength + common.masterSaltLength)
            #expect(clientKeys.local == serverKeys.remote)
            #expect(clientKeys.remote == serverKeys.local)
        }
    }

    @Test func eachHandshakeHasKeysOfItsOwn() throws {
        var seen: Set<[UInt8]> = []
        for _ in 0..<8 {
            let network = try Identities.network()
            network.start()
            network.run { network.isConnected }
            let keys = try #require(network.keys(.server))
            #expect(seen.insert(keys.local.bytes).inserted)
            #expect(seen.insert(keys.remote.bytes).inserted)
        }
    }

    @Test(arguments: [256, 300, 500, 1_200], DTLSIdentity.Kind.allCases)
    func noDatagramIsLongerThanTheMTU(mtu: Int, kind: DTLSIdentity.Kind) throws {
        let identity = Identities.of(kind)
        let network = try Identities.network(client: identity, server: identity, mtu: mtu)
        // A lost flight on each side makes the measurement include retransmissions.
        network.fate = { $0.number == 1 ? [] : [.milliseconds(5)] }
        network.start()
        network.run { network.isConnected }
        #expect(network.isConnected)
        #expect(network.sent.allSatisfy { $0.bytes.count <= mtu })
        // The certificates alone exceed a small MTU.
        #expect(mtu > 500 || network.sent.contains { $0.bytes.count > mtu / 2 })
    }

    @Test func aServerKeepsStillUntilItsPeerSpeaks() throws {
        let server = try DTLSConnection(
            role: .server, identity: Identities.ecdsa, peerFingerprints: [Identities.rsa.fingerprint])
        server.start(now: .zero)
        #expect(server.deadline == nil)
        server.handleTimeout(now: .seconds(100))
        #expect(server.nextDatagram() == nil)
        #expect(server.state == .handshaking)
    }

    @Test func aClientAloneGivesUp() throws {
        let client = try DTLSConnection(
            role: .client, identity: Identities.ecdsa, peerFingerprints: [Identities.rsa.fingerprint])
        var now = MediaTime.seconds(5)
        client.start(now: now)
        var datagrams: [[UInt8]] = []
        var waits: [MediaTime] = []
        while let deadline = client.deadline {
            while let datagram = client.nextDatagram() { datagrams.append(datagram) }
            waits.append(deadline - now)
            now = deadline
            client.handleTimeout(now: now - .nanoseconds(1))
            #expect(client.nextDatagram() == nil)
            client.handleTimeout(now: now)
        }
        #expect(client.state == .failed(.timedOut))
        #expect(datagrams.count == DTLSConnection.mostRetransmissions + 1)
        // The same message each time, under a new record sequence number (bytes 5...10).
        #expect(Set(datagrams.map { Array($0[11...]) }).count == 1)
        #expect(datagrams.map { Int($0[10]) } == Array(0...DTLSConnection.mostRetransmissions))
        #expect(waits.prefix(6).map(\.milliseconds) == [100, 200, 400, 800, 1_600, 1_600])
    }

    @Test func whatCannotSucceedIsNotBegun() {
        #expect(throws: DTLSFailure.noFingerprint) {
            try DTLSConnection(role: .server, identity: Identities.ecdsa, peerFingerprints: [])
        }
        #expect(throws: DTLSFailure.noSuite) {
            try DTLSConnection(
                role: .server, identity: Identities.ecdsa, peerFingerprints: [Identities.rsa.fingerprint], suites: [])
        }
    }

    @Test func oneIdentityServesManyThreads() async throws {
        let identity = try DTLSIdentity.generate()
        let connected = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var all = true
                    for _ in 0..<20 {
                        let network = try Identities.network(client: identity, server: identity)
                        network.start()
                        network.run { network.isConnected }
                        all = all && network.isConnected
                    }
                    return all
                }
            }
            return try await group.reduce(true) { $0 && $1 }
        }
        #expect(connected)
    }
}
