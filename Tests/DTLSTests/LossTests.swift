import DTLS
import MediaBase
import MillraceTestKit
import Testing

@Suite("DTLS where datagrams are lost, late or doubled") struct LossTests {
    /// Returns whether both sides have the same keys.
    private func agreed(_ network: Network) -> Bool {
        guard let client = network.keys(.client), let server = network.keys(.server) else { return false }
        return client.local == server.remote && client.remote == server.local
    }

    /// Each of the 1,024 ways to lose some of the first five datagrams of either side.
    @Test(arguments: [1_200, 500])
    func anyOfTheFirstDatagramsMayBeLost(mtu: Int) throws {
        for pattern in 0..<1_024 {
            let network = try Identities.network(mtu: mtu)
            network.fate = { datagram in
                let bit = datagram.from == .client ? datagram.number : datagram.number + 5
                return datagram.number < 5 && pattern >> bit & 1 == 1 ? [] : [.milliseconds(20)]
            }
            network.start()
            network.run { network.isConnected }
            #expect(agreed(network), "pattern \(pattern): \(network.client.state), \(network.server.state)")
        }
    }

    @Test(arguments: [256, 400, 1_200])
    func lossReorderingAndDuplicationDelayOnly(mtu: Int) throws {
        for seed in UInt64(0)..<150 {
            var random = SeededGenerator(seed: seed)
            let network = try Identities.network(
                client: seed % 3 == 0 ? Identities.rsa : Identities.ecdsa,
                server: seed % 5 == 0 ? Identities.rsa : Identities.otherECDSA, mtu: mtu)
            network.fate = { _ in
                // 15 % are lost, 15 % arrive twice, and any may overtake others of the same flight and the next.
                let copies = random.below(100) < 15 ? 0 : random.below(100) < 15 ? 2 : 1
                return (0..<copies).map { _ in .milliseconds(Int64(1 + random.below(200))) }
            }
            network.start()
            network.run { network.isConnected }
            #expect(agreed(network), "seed \(seed): \(network.client.state), \(network.server.state)")
        }
    }

    @Test func theSameSeedGivesTheSameTimes() throws {
        func times() throws -> [MediaTime] {
            try (UInt64(0)..<20).map { seed in
                var random = SeededGenerator(seed: seed)
                let network = try Identities.network()
                network.fate = { _ in random.below(100) < 30 ? [] : [.milliseconds(Int64(1 + random.below(50)))] }
                network.start()
                network.run { network.isConnected }
                return network.now
            }
        }
        #expect(try times() == times())
    }

    /// The server is done when it has sent its last flight; only the client knows that the flight was lost.
    @Test func aServerThatIsDoneAnswersWhatIsSentAgain() throws {
        let network = try Identities.network()
        var isDeaf = true
        network.fate = { [unowned network] datagram in
            datagram.from == .server && isDeaf && network.keys(.server) != nil ? [] : [.milliseconds(10)]
        }
        network.start()
        network.run { network.client.retransmissions == 3 }
        #expect(network.keys(.server) != nil)
        #expect(network.keys(.client) == nil)
        let before = network.sent.filter { $0.from == .server }.count
        isDeaf = false
        network.run { network.isConnected }
        #expect(agreed(network))
        #expect(network.sent.filter { $0.from == .server }.count == before + 1)
        #expect(network.server.retransmissions == 0)
    }

    @Test func aLostFlightCostsOneTimeout() throws {
        let network = try Identities.network()
        network.fate = { $0.from == .server && $0.number == 0 ? [] : [.milliseconds(10)] }
        let start = network.now
        network.start()
        network.run { network.isConnected }
        // Hello, lost flight; a retransmission after 100 ms from the server's (110) or the client's (100) timer, whichever fires first.
        #expect((network.now - start).milliseconds <= 160)
        #expect(network.client.retransmissions + network.server.retransmissions <= 2)
    }
}
