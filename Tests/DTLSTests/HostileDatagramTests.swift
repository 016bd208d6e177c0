import DTLS
import MediaBase
import MillraceTestKit
import Testing

@Suite("Hostile DTLS datagrams") struct HostileDatagramTests {
    private func recorded() throws -> [Network.Datagram] {
        let network = try Identities.network()
        network.start()
        network.run { network.isConnected }
        network.client.close(now: network.now)
        network.collect()
        network.run()
        return network.sent
    }

    private func outgoing(_ connection: DTLSConnection) -> Int {
        var bytes = 0
        while let datagram = connection.nextDatagram() { bytes += datagram.count }
        return bytes
    }

    @Test func garbageIsNotAnswered() throws {
        var random = SeededGenerator(seed: 11)
        let network = try Identities.network()
        for _ in 0..<20_000 {
            let garbage = random.bytes(random.below(200))
            garbage.withUnsafeBytes {
                network.server.receive($0, now: network.now)
                network.client.receive($0, now: network.now)
            }
        }
        #expect(outgoing(network.server) == 0)
        #expect(outgoing(network.client) == 0)
        network.start()
        network.run { network.isConnected }
        #expect(network.isConnected)
        for _ in 0..<20_000 {
            let garbage = random.bytes(random.below(200))
            garbage.withUnsafeBytes {
                network.server.receive($0, now: network.now)
                network.client.receive($0, now: network.now)
            }
        }
        #expect(network.isConnected)
        #expect(outgoing(network.server) == 0)
        #expect(outgoing(network.client) == 0)
    }

    @Test func cutDatagramsDoNoHarm() throws {
        let network = try Identities.network()
        network.transform = { datagram in
            // Every prefix first, then the whole datagram.
            (0...datagram.bytes.count).map { Array(datagram.bytes[..<$0]) }.filter { $0.count % 7 == 0 } + [
                datagram.bytes
            ]
        }
        network.start()
        network.run { network.isConnected }
        #expect(network.isConnected)
    }

    @Test func everythingTwiceAndLateDoesNoHarm() throws {
        let network = try Identities.network()
        network.fate = { _ in [.milliseconds(1), .milliseconds(1), .milliseconds(40), .seconds(2)] }
        network.start()
        network.run()
        #expect(network.isConnected)
        #expect(network.sent.count < 20)
    }

    /// Damages datagrams at each stage of a handshake: it may fail, but must not trap, send long answers or agree on different keys.
    @Test(arguments: [0, 1, 2, 3]) func damagedDatagrams(stage: Int) throws {
        let corpus = try recorded().map(\.bytes)
        let fuzzer = MutationFuzzer(corpus: corpus, seed: UInt64(stage) + 1)
        for _ in 0..<300 {
            let network = try Identities.network()
            var seen = 0
            network.fate = { _ in
                seen += 1
                return seen > stage ? [] : [.milliseconds(1)]
            }
            network.start()
            network.run(seconds: 0.01)
            let before = network.sent.reduce(0) { $0 + $1.bytes.count }
            var fed = 0
            fuzzer.run(count: 40) { input in
                fed += input.count
                network.server.receive(input, now: network.now)
                network.client.receive(input, now: network.now)
                network.collect()
            }
            let answered = network.sent.reduce(0) { $0 + $1.bytes.count } - before
            #expect(answered <= 3 * fed)
            if let client = network.keys(.client), let server = network.keys(.server) {
                #expect(client.local == server.remote && client.remote == server.local)
            }
            network.client.close(now: network.now)
            network.server.close(now: network.now)
        }
    }

    @Test func damagedDatagramsDoNotEndAConnection() throws {
        let network = try Identities.network()
        network.start()
        network.run { network.isConnected }
        let corpus = network.sent.map(\.bytes)
        let fuzzer = MutationFuzzer(corpus: corpus, seed: 77)
        fuzzer.run(count: 20_000) { input in
            network.server.receive(input, now: network.now)
            network.client.receive(input, now: network.now)
        }
        #expect(network.isConnected)
        #expect(outgoing(network.server) == 0)
        #expect(outgoing(network.client) == 0)
    }

    @Test func aFloodDuringTheHandshakeIsBounded() throws {
        let server = try DTLSConnection(
            role: .server, identity: Identities.ecdsa, peerFingerprints: [Identities.rsa.fingerprint])
        // Encrypted records before there is a key, each with the next number: a library may buffer them.
        var counter: UInt32 = 0
        while server.state == .handshaking, counter < 100_000 {
            let number = (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * $0)) }
            let datagram = [22, 0xfe, 0xfd, 0, 1, 0, 0] + number + [4, 0] + [UInt8](repeating: 3, count: 1_024)
            datagram.withUnsafeBytes { server.receive($0, now: .zero) }
            counter += 1
        }
        guard case .failed(.tooManyDatagrams(let limit)) = server.state else {
            Issue.record("\(server.state) after \(counter)")
            return
        }
        #expect(counter == limit + 1)
        #expect(server.nextDatagram() == nil)
    }

    @Test func aCallerThatTakesNothingCostsLittle() throws {
        let client = try DTLSConnection(
            role: .client, identity: Identities.ecdsa, peerFingerprints: [Identities.rsa.fingerprint])
        client.start(now: .zero)
        while let deadline = client.deadline { client.handleTimeout(now: deadline) }
        var count = 0
        while client.nextDatagram() != nil { count += 1 }
        #expect(count <= 64)
    }
}
