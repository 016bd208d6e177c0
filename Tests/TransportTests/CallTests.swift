import DTLS
import MediaBase
import SDP
import STUN
import Testing
import Transport

@Suite("Calls in virtual time: client, network, relay") struct CallTests {
    static func connect(_ call: VirtualCall, within span: MediaTime = .seconds(15)) {
        call.run(until: call.now + span) { call.areConnected }
        #expect(call.areConnected, "relay: \(call.relayEnd as Any), client: \(call.clientEnd as Any)")
    }

    /// Returns the longest time without media among the arrivals between two times.
    static func gap(_ arrivals: [MediaTime], from: MediaTime, to: MediaTime) -> MediaTime {
        let times = [from] + arrivals.filter { $0 > from && $0 < to } + [to]
        return zip(times.dropFirst(), times).map { $0 - $1 }.max() ?? .zero
    }

    @Test("Both sides get each other's keys", arguments: [DTLSConnection.Role.server, .client])
    func connects(relayRole: DTLSConnection.Role) throws {
        let call = try VirtualCall(seed: 1, relayRole: relayRole)
        Self.connect(call, within: .seconds(1))
        let relay = try #require(call.relayKeys), client = try #require(call.clientKeys)
        #expect(relay.local == client.remote && relay.remote == client.local && relay.suite == .aeadAES128GCM)
        #expect(call.relay.selected?.address.isIPv6 == false && call.client.selected?.isTCP == false)
        // Check, nomination, two round trips of DTLS, each of 20 ms.
        #expect(call.connectedAt ?? .never <= .milliseconds(100))
        #expect(call.connections.isEmpty, "no TCP where UDP works")
    }

    @Test(
        "Loss, duplication and reordering only cost time",
        arguments: [0.02, 0.1, 0.25], [1, 2, 3, 4] as [UInt64])
    func connectsUnderLoss(loss: Double, seed: UInt64) throws {
        let network = VirtualCall.Network(
            loss: loss, duplication: 0.1, delay: .milliseconds(15), jitter: .milliseconds(30))
        for role in [DTLSConnection.Role.server, .client] {
            let call = try VirtualCall(seed: seed, network: network, relayRole: role)
            Self.connect(call)
            call.startMedia()
            call.run(for: .seconds(45))
            #expect(call.areConnected)
            #expect(Self.gap(call.mediaAtClient, from: .seconds(20), to: call.now) < .seconds(1))
            #expect(Self.gap(call.mediaAtRelay, from: .seconds(20), to: call.now) < .seconds(1))
        }
    }

    @Test func sameSeedGivesTheSameTrace() throws {
        func trace(_ seed: UInt64) throws -> [String] {
            let network = VirtualCall.Network(loss: 0.1, duplication: 0.1, jitter: .milliseconds(20))
            let call = try VirtualCall(seed: seed, network: network)
            Self.connect(call)
            call.startMedia()
            call.run(for: .seconds(10))
            call.renumber()
            call.run(for: .seconds(10))
            call.restartICE()
            call.run(for: .seconds(10))
            return call.trace
        }
        let first = try trace(7)
        #expect(try first == trace(7) && first.count > 2_000)
        #expect(try first != trace(8))
    }

    @Test("A client that notices its new address is followed at once", arguments: [0, 0.1], [1, 2, 3] as [UInt64])
    func addressChange(loss: Double, seed: UInt64) throws {
        let call = try VirtualCall(seed: seed, network: .init(loss: loss))
        Self.connect(call)
        call.startMedia()
        for _ in 0..<5 {
            call.run(for: .seconds(3))
            let before = call.relay.selected
            let moment = call.now
            call.renumber()
            call.act { $0.client.rebind(now: moment) }
            call.run(for: .seconds(3))
            #expect(call.relay.selected != before && call.areConnected)
            let limit = loss == 0 ? MediaTime.milliseconds(60) : .seconds(2)
            #expect(Self.gap(call.mediaAtClient, from: moment, to: call.now) <= limit)
        }
    }

    @Test("RFC 7675: a NAT's new address, which the client does not notice, is followed with the next consent check")
    func renumbering() throws {
        for nominates in [true, false] {
            let call = try VirtualCall(seed: 5) { $0.ice.nominatesInConsent = nominates }
            Self.connect(call)
            call.startMedia()
            call.run(for: .seconds(20))
            let moment = call.now
            call.renumber()
            call.run(for: .seconds(40))
            #expect(call.areConnected)
            #expect(Self.gap(call.mediaAtClient, from: moment, to: call.now) <= .seconds(6.1))
            #expect(call.relay.statistics.moves == 2)
        }
    }

    @Test(
        "RFC 8445 section 9: media is not interrupted by an ICE restart", arguments: [0, 0.1], [1, 2, 3] as [UInt64])
    func restart(loss: Double, seed: UInt64) throws {
        let call = try VirtualCall(seed: seed, network: .init(loss: loss))
        Self.connect(call)
        call.startMedia()
        for _ in 0..<4 {
            let moment = call.now + .milliseconds(100)
            call.run(for: .seconds(5))
            let old = call.relay.credentials
            call.restartICE()
            #expect(call.relay.credentials.count == 2)
            call.run(for: .seconds(5))
            #expect(call.relay.credentials.count == 1 && call.relay.credentials != old && call.areConnected)
            let limit = loss == 0 ? MediaTime.milliseconds(20) : .milliseconds(200)
            #expect(Self.gap(call.mediaAtClient, from: moment, to: call.now) <= limit)
            #expect(Self.gap(call.mediaAtRelay, from: moment, to: call.now) <= limit)
        }
    }

    @Test func restartWithANewAddressAtTheSameTime() throws {
        let call = try VirtualCall(seed: 3, network: .init(loss: 0.05))
        Self.connect(call)
        call.startMedia()
        call.run(for: .seconds(1))
        let moment = call.now
        call.renumber()
        call.restartICE()
        call.run(for: .seconds(10))
        #expect(call.areConnected && call.relay.credentials.count == 1)
        #expect(Self.gap(call.mediaAtClient, from: moment, to: call.now) <= .seconds(2))
    }

    @Test("A peer that was silent for 30 s is disconnected, on both sides") func consentExpiry() throws {
        let call = try VirtualCall(seed: 2)
        Self.connect(call)
        call.run(for: .seconds(60))
        #expect(call.areConnected)
        let cut = call.now
        call.network.letsUDPThrough = false
        call.run(for: .seconds(40))
        let relay = try #require(call.relayEnd), client = try #require(call.clientEnd)
        #expect(relay.0 == .consentLost && client.0 == .consentLost)
        // The last check arrived at most 6 s before.
        for end in [relay.1, client.1] {
            #expect(end >= cut + .seconds(24) - .milliseconds(20) && end <= cut + .seconds(30))
        }
        #expect(call.relay.deadline == .never && call.client.deadline == .never)
    }

    @Test func anInterruptionOfTwentySecondsIsSurvived() throws {
        let call = try VirtualCall(seed: 2)
        Self.connect(call)
        call.startMedia()
        call.run(for: .seconds(10))
        call.network.letsUDPThrough = false
        call.run(for: .seconds(20))
        call.network.letsUDPThrough = true
        call.run(for: .seconds(60))
        #expect(call.areConnected)
    }

    @Test("RFC 8445 section 7.3.1.1: a client that starts as controlled becomes controlling") func roleConflict() throws
    {
        let call = try VirtualCall(seed: 4, network: .init(loss: 0.1)) { $0.ice.beginsControlled = true }
        #expect(!call.client.isControlling)
        Self.connect(call)
        #expect(call.client.isControlling && call.relay.statistics.roleConflicts > 0)
    }

    @Test func aggressiveNomination() throws {
        let call = try VirtualCall(seed: 4, network: .init(loss: 0.1, jitter: .milliseconds(40))) {
            $0.ice.nominatesAggressively = true
        }
        Self.connect(call)
        call.startMedia()
        call.run(for: .seconds(30))
        #expect(Self.gap(call.mediaAtClient, from: .seconds(5), to: call.now) < .seconds(1))
    }

    @Test("RFC 6544: over TCP if UDP is blocked", arguments: [1, 2, 3] as [UInt64]) func streams(seed: UInt64) throws {
        let call = try VirtualCall(seed: seed, network: .init(letsUDPThrough: false))
        Self.connect(call, within: .seconds(3))
        #expect(call.relay.selected?.isTCP == true && call.client.selected?.isTCP == true)
        call.startMedia()
        call.run(for: .seconds(40))
        let moment = call.now
        // The connection breaks and is replaced by another one.
        for number in call.connections.keys.sorted() { call.closeConnection(number) }
        call.run(for: .seconds(10))
        #expect(call.areConnected && call.connections.count == 1)
        #expect(Self.gap(call.mediaAtClient, from: moment, to: call.now) <= .seconds(1))
    }

    @Test func nobodyThere() throws {
        let network = VirtualCall.Network(letsUDPThrough: false, letsTCPThrough: false)
        let call = try VirtualCall(seed: 1, network: network)
        call.run(for: .seconds(20))
        #expect(call.relayEnd?.0 == .connectTimeout && call.relayEnd?.1 == .seconds(15))
        #expect(call.clientEnd?.0 == .connectTimeout && call.clientEnd?.1 == .seconds(15))
        #expect(call.ledger.recipients.isEmpty)
    }

    @Test func closingTellsThePeer() throws {
        for closesRelay in [true, false] {
            let call = try VirtualCall(seed: 1)
            Self.connect(call)
            call.act { closesRelay ? $0.relay.close(now: $0.now) : $0.client.close(now: $0.now) }
            call.run(for: .seconds(1))
            #expect((closesRelay ? call.clientEnd : call.relayEnd)?.0 == .closedByPeer)
            #expect((closesRelay ? call.relayEnd : call.clientEnd) == nil, "who closes needs not be told")
            #expect(call.relay.isEnded && call.client.isEnded)
        }
    }

    @Test func anotherCertificateThanAnnounced() throws {
        let call = try VirtualCall(seed: 1, relayFingerprint: VirtualCall.clientIdentity.fingerprint)
        call.run(for: .seconds(20))
        #expect(call.clientEnd?.0 == .dtls(.fingerprintMismatch))
        #expect(!call.relay.isConnected && call.relayKeys == nil)
    }

    @Test("A call continues through any change of its path", arguments: 1...8 as ClosedRange<UInt64>)
    func turmoil(seed: UInt64) throws {
        let network = VirtualCall.Network(
            loss: 0.05, duplication: 0.05, delay: .milliseconds(20), jitter: .milliseconds(15))
        let call = try VirtualCall(seed: seed, network: network)
        Self.connect(call)
        call.startMedia()
        for step in 0..<12 {
            let moment = call.now
            switch (seed &+ UInt64(step)) % 4 {
            case 0: call.renumber()
            case 1: call.restartICE()
            case 2:
                call.renumber()
                call.act { $0.client.rebind(now: moment) }
            default: call.network.loss = call.network.loss == 0.05 ? 0.2 : 0.05
            }
            call.run(for: .seconds(15))
            #expect(call.areConnected)
            #expect(Self.gap(call.mediaAtClient, from: call.now - .seconds(2), to: call.now) < .seconds(1))
            #expect(Self.gap(call.mediaAtRelay, from: call.now - .seconds(2), to: call.now) < .seconds(1))
        }
    }
}
