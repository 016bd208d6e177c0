import DTLS
import MediaBase
import SDP
import STUN
import Testing
import Transport

@Suite("Calls with keys of signalling, in virtual time") struct NativeCallTests {
    @Test("Media can flow after three one-way delays of the path, without a DTLS handshake")
    func connects() throws {
        let call = try VirtualCall(seed: 1, isNative: true)
        CallTests.connect(call, within: .seconds(1))
        let relay = try #require(call.relayKeys), client = try #require(call.clientKeys)
        #expect(relay.local == client.remote && relay.remote == client.local)
        #expect(call.connectedAt ?? .never <= .milliseconds(60))
        call.startMedia()
        call.run(for: .seconds(60))
        #expect(call.areConnected && !call.trace.contains { $0.contains("dtls") })
        #expect(CallTests.gap(call.mediaAtRelay, from: .seconds(2), to: call.now) < .milliseconds(50))
        #expect(CallTests.gap(call.mediaAtClient, from: .seconds(2), to: call.now) < .milliseconds(50))
    }

    @Test(
        "Loss, duplication and reordering only cost time", arguments: [0.05, 0.25], [1, 2, 3, 4] as [UInt64])
    func loss(loss: Double, seed: UInt64) throws {
        let network = VirtualCall.Network(
            loss: loss, duplication: 0.1, delay: .milliseconds(15), jitter: .milliseconds(30))
        let call = try VirtualCall(seed: seed, network: network, isNative: true)
        CallTests.connect(call)
        call.startMedia()
        call.run(for: .seconds(45))
        #expect(call.areConnected)
        #expect(CallTests.gap(call.mediaAtClient, from: .seconds(20), to: call.now) < .seconds(1))
    }

    @Test("Over TCP if UDP is blocked") func streams() throws {
        let call = try VirtualCall(seed: 3, network: .init(letsUDPThrough: false), isNative: true)
        CallTests.connect(call)
        #expect(call.relay.selected?.isTCP == true)
    }

    @Test("Address changes and ICE restarts work as with DTLS; silence ends the call by consent") func changes() throws
    {
        let call = try VirtualCall(seed: 4, isNative: true)
        CallTests.connect(call)
        call.startMedia()
        for round in 0..<4 {
            call.run(for: .seconds(3))
            let moment = call.now
            if round % 2 == 0 {
                call.renumber()
                call.act { $0.client.rebind(now: moment) }
            } else {
                call.restartICE()
            }
            call.run(for: .seconds(2))
            #expect(
                CallTests.gap(call.mediaAtClient, from: moment + .milliseconds(500), to: call.now) < .milliseconds(60))
        }
        call.network.letsUDPThrough = false
        call.network.letsTCPThrough = false
        call.run(for: .seconds(40))
        guard case .consentLost? = call.relayEnd?.0 else {
            Issue.record("\(call.relayEnd as Any)")
            return
        }
    }

    private func transport() throws -> (WebRTCTransport, Checks) {
        let peer = PeerDescription(credentials: .client, fingerprints: [], setup: .actpass)
        var configuration = WebRTCTransport.Configuration(
            credentials: .relay, peer: peer, identity: VirtualCall.relayIdentity)
        let keys = try #require(SignalledKeys.take(SignalledKeys().offered)).keys
        configuration.signalled = (keys, 42)
        return (try WebRTCTransport(configuration, now: .zero), Checks(local: .relay, remote: .client))
    }

    /// Returns an answer to a check of the relay.
    private func answer(to check: [UInt8], password: String = ICECredentials.client.password, damage: Bool = false)
        throws -> [UInt8]
    {
        let message = try check.withUnsafeBytes { try STUNMessage(parsing: $0) }
        var transaction = message.transaction
        if damage { transaction.low ^= 1 }
        return STUNMessage(.success, transaction: transaction, attributes: [])
            .bytes(integrity: { MessageAuthentication.hmacSHA1(key: Array(password.utf8), $0) })
    }

    /// Returns the checks that the relay made.
    private func checks(_ outputs: [WebRTCTransport.Output]) -> [(bytes: [UInt8], to: PeerAddress)] {
        outputs.compactMap {
            guard case .transmit(let bytes, let to) = $0, bytes[0] == 0, bytes[1] == 1 else { return nil }
            return (bytes, to)
        }
    }

    private func isConnected(_ outputs: [WebRTCTransport.Output]) -> Bool {
        outputs.contains { if case .connected = $0 { true } else { false } }
    }

    @Test("A peer that knows the credentials and names another's address gets nothing sent there")
    func noReflection() throws {
        var (transport, checks) = try self.transport()
        var ledger = Ledger()
        var now = MediaTime.zero
        for step in 0..<300 {
            transport.stun(checks.make(nominates: true), .peer(step % 40), now, &ledger)
            now += .milliseconds(45)
            while transport.deadline <= now { transport.time(transport.deadline, &ledger) }
        }
        #expect(!transport.isConnected)
        transport.time(.seconds(15), &ledger)
        #expect(transport.isEnded)
    }

    @Test("The contents of a check do not predict the transaction of the next one") func transactions() throws {
        var (transport, checks) = try self.transport()
        var seen: Set<STUNTransactionID> = []
        var breakers: Set<UInt64> = []
        var made = 0
        for peer in 1...20 {
            transport.stun(checks.make(nominates: true), .peer(peer), .zero)
            // The relay sends only a few bytes to so many addresses.
            guard let check = self.checks(transport.take()).first else { continue }
            made += 1
            let message = try check.bytes.withUnsafeBytes { try STUNMessage(parsing: $0) }
            for attribute in message.attributes {
                guard case .iceControlled(let breaker) = attribute else { continue }
                breakers.insert(breaker)
            }
            seen.insert(message.transaction)
        }
        // The agent uses one tie-breaker for its lifetime: no state is advanced from check to check.
        #expect(made >= 2 && seen.count == made && breakers.count == 1)
        let breaker = try #require(breakers.first)
        #expect(breaker != 42 && !seen.contains { $0.low == breaker })
    }

    @Test("Only the right answer from the right address opens the path") func answers() throws {
        var (transport, checks) = try self.transport()
        transport.stun(checks.make(), .peer(1), .zero)
        #expect(self.checks(transport.take()).isEmpty, "nothing is nominated")
        transport.stun(checks.make(nominates: true), .peer(1), .zero)
        let first = try #require(self.checks(transport.take()).first)
        #expect(first.to == .peer(1))
        for (bytes, from) in [
            (try answer(to: first.bytes), PeerAddress.peer(2)),
            (try answer(to: first.bytes, password: "anotherPasswordOf24Lettr"), .peer(1)),
            (try answer(to: first.bytes, damage: true), .peer(1)), (first.bytes, .peer(1)),
        ] {
            transport.stun(bytes, from, .zero)
            #expect(!isConnected(transport.take()) && !transport.isConnected)
        }
        // An unanswered check is repeated a limited number of times.
        var repeats = 0
        while transport.deadline < .seconds(14) {
            transport.handleTimeout(now: transport.deadline)
            repeats += self.checks(transport.take()).count
        }
        #expect((1...10).contains(repeats))
        transport.stun(checks.make(nominates: true), .peer(3), .seconds(14))
        let second = try #require(self.checks(transport.take()).first)
        #expect(second.to == .peer(3) && second.bytes != first.bytes)
        transport.stun(try answer(to: first.bytes), .peer(1), .seconds(14))
        #expect(!transport.isConnected)
        transport.stun(try answer(to: second.bytes), .peer(3), .seconds(14))
        #expect(isConnected(transport.take()) && transport.isConnected)
        transport.stun(try answer(to: second.bytes), .peer(3), .seconds(14))
        #expect(!isConnected(transport.take()), "once")
        transport.dtls(try WebRTCTransportTests.clientHello(), .peer(3), .seconds(14))
        #expect(transport.take().isEmpty, "no hands are shaken")
    }
}
