import DTLS
import MediaBase
import MillraceTestKit
import SDP
import STUN
import Testing
import Transport

@Suite("The relay's WebRTC transport") struct WebRTCTransportTests {
    static func transport(role: DTLSConnection.Role = .server) throws -> (WebRTCTransport, Checks) {
        let peer = PeerDescription(
            credentials: .client, fingerprints: [VirtualCall.clientIdentity.fingerprint], setup: .actpass)
        let transport = try WebRTCTransport(
            .init(credentials: .relay, peer: peer, identity: VirtualCall.relayIdentity, role: role), now: .zero)
        return (transport, Checks(local: .relay, remote: .client))
    }

    /// Returns the first flight of a client.
    static func clientHello() throws -> [UInt8] {
        let client = try DTLSConnection(
            role: .client, identity: VirtualCall.clientIdentity,
            peerFingerprints: [VirtualCall.relayIdentity.fingerprint])
        client.start(now: .zero)
        return try #require(client.nextDatagram())
    }

    @Test func nothingOfDTLSIsReadBeforeACheck() throws {
        var (transport, checks) = try Self.transport()
        let hello = try Self.clientHello()
        transport.dtls(hello, .peer(1), .zero)
        #expect(transport.take().isEmpty && transport.strangers == 1)
        transport.stun(checks.make(), .peer(2), .zero)
        transport.dtls(hello, .peer(1), .zero)
        #expect(transport.strangers == 2 && Array(transport.sent(transport.take()).keys) == [.peer(2)])
        let isOurs = transport.received(from: .peer(2), now: .zero),
            isAnothers = transport.received(from: .peer(1), now: .zero)
        #expect(isOurs && !isAnothers)
    }

    @Test("A handshake may begin before nomination; its answer waits for received bytes or for nomination")
    func flightsAreHeldBack() throws {
        var (transport, checks) = try Self.transport()
        let hello = try Self.clientHello()
        var ledger = Ledger()
        transport.stun(checks.make(), .peer(1), .zero, &ledger)
        transport.dtls(hello, .peer(1), .zero, &ledger)
        let before = ledger.sent(to: .peer(1))
        // Nothing beyond the limit is sent without a nomination, and the timers do not spin.
        var steps = 0
        while transport.deadline < .seconds(14) {
            steps += 1
            transport.time(transport.deadline, &ledger)
            guard steps < 100 else { break }
        }
        #expect(steps < 20 && transport.selected == nil)
        transport.stun(checks.make(nominates: true), .peer(1), .seconds(14), &ledger)
        #expect(ledger.sent(to: .peer(1)) > before + 500 && ledger.beyond > 0, "the flight")
    }

    @Test(
        "Valid credentials with a spoofed address: the bytes sent to it are limited as well", arguments: [true, false])
    func credentialsDoNotBuyAmplification(nominates: Bool) throws {
        var (transport, checks) = try Self.transport()
        let hello = try Self.clientHello()
        var ledger = Ledger()
        var now = MediaTime.zero
        for step in 0..<300 {
            let victim = PeerAddress.peer(step % 40)
            transport.stun(checks.make(nominates: nominates), victim, now, &ledger)
            if step % 3 == 0 { transport.dtls(hello, victim, now, &ledger) }
            now += .milliseconds(45)
            while transport.deadline <= now { transport.time(transport.deadline, &ledger) }
        }
        #expect(nominates ? ledger.beyond > 0 : ledger.beyond == 0)
        transport.time(.seconds(15), &ledger)
        #expect(transport.isEnded)
    }

    @Test("Random, truncated, replayed and forged datagrams: no answer to strangers, no state, no trap")
    func hostileInput() throws {
        var (transport, checks) = try Self.transport()
        let good = (0..<4).map { checks.make(nominates: $0 == 0) }
        for datagram in good { transport.stun(datagram, .peer(1), .zero) }
        _ = transport.take()
        let hello = try Self.clientHello()
        var number = 0
        let corpus = good + [hello, checks.make(password: "wrong"), [22, 254, 253], [0, 1, 0, 0]]
        MutationFuzzer(corpus: corpus, seed: 0x1ce).run(count: 30_000) { bytes in
            number += 1
            let source = PeerAddress.peer(2 + number % 500)
            transport.receiveSTUN(bytes, from: source, now: .milliseconds(10))
            transport.receiveDTLS(bytes, from: source, now: .milliseconds(10))
            _ = WebRTCTransport.username(of: bytes)
            while let output = transport.nextOutput() { Issue.record("\(output)") }
            if transport.isValidated(source) { Issue.record("believed \(Array(bytes))") }
        }
        #expect(transport.selected == .peer(1) && !transport.isEnded)
        // Any datagram may also come from the peer's own address.
        var ledger = Ledger()
        MutationFuzzer(corpus: corpus, seed: 0x1ce).run(count: 5_000) { bytes in
            transport.receiveSTUN(bytes, from: .peer(1), now: .milliseconds(10))
            transport.receiveDTLS(bytes, from: .peer(1), now: .milliseconds(10))
            ledger.receive(2 * bytes.count, from: .peer(1))
            for case .transmit(let datagram, let to) in transport.take() {
                ledger.send(datagram.count, to: to, nominated: true, isConfirmed: false)
            }
        }
        #expect(!transport.isConnected)
    }

    @Test func consentIsCountedFromTheLastAuthenticCheck() throws {
        var (transport, checks) = try Self.transport()
        transport.stun(checks.make(nominates: true), .peer(1), .seconds(14))
        #expect(transport.deadline == .seconds(15))
        transport.handleTimeout(now: .seconds(15))
        guard case .ended(.connectTimeout)? = transport.take().last else {
            Issue.record("not ended")
            return
        }
        transport.stun(checks.make(nominates: true), .peer(1), .seconds(16))
        transport.close(now: .seconds(17))
        transport.handleTimeout(now: .seconds(60))
        #expect(transport.take().isEmpty && transport.deadline == .never && transport.isEnded)
    }

    @Test func theRelayBeginsTheHandshakeOnceAPairIsNominated() throws {
        var (transport, checks) = try Self.transport(role: .client)
        transport.stun(checks.make(), .peer(1), .zero)
        #expect(transport.take().count == 1)
        transport.stun(checks.make(nominates: true), .peer(1), .zero)
        let outputs = transport.take()
        #expect(transport.sent(outputs)[.peer(1)]?.contains { $0.first == 22 } == true)
    }

    @Test func aDescriptionWithoutFingerprintIsRefused() {
        let peer = PeerDescription(credentials: .client, fingerprints: [], setup: .actpass)
        #expect(throws: DTLSFailure.noFingerprint) {
            _ = try WebRTCTransport(
                .init(credentials: .relay, peer: peer, identity: VirtualCall.relayIdentity), now: .zero)
        }
    }

    @Test func usernamesAreReadCheaply() {
        var checks = Checks(local: .relay, remote: .client)
        func name(_ datagram: [UInt8]) -> String? {
            datagram.withUnsafeBytes { WebRTCTransport.username(of: $0).map { $0.local + "|" + $0.remote } }
        }
        let request = checks.make()
        #expect(name(request) == "RELAYfrag|clientFr")
        #expect(name(checks.make(adding: [.software(String(repeating: "x", count: 700))])) == "RELAYfrag|clientFr")
        #expect(name(checks.make(username: "a:b:c")) == "a|b:c")
        let longest = String(repeating: "x", count: 256) + ":" + String(repeating: "y", count: 256)
        #expect(name(checks.make(username: longest))?.utf8.count == 513)
        for wrong in ["", ":", "a", "a:", ":b", longest + "z"] {
            #expect(name(checks.make(username: wrong)) == nil, "\(wrong)")
        }
        for kind in [STUNClass.indication, .success, .error] { #expect(name(checks.make(kind: kind)) == nil) }
        for length in 0..<40 { #expect(name(Array(request[..<length])) == nil) }
        // Attributes behind MESSAGE-INTEGRITY are ignored.
        let bare = STUNMessage(.request, transaction: .init(high: 1, low: 1), attributes: [])
        let signed = bare.bytes(integrity: { _ in [UInt8](repeating: 0, count: 20) }, fingerprint: false)
        #expect(name(signed + request[20..<44]) == nil)
    }
}

extension WebRTCTransport {
    func stun(_ datagram: [UInt8], _ source: PeerAddress, _ now: MediaTime) {
        datagram.withUnsafeBytes { receiveSTUN($0, from: source, now: now) }
    }

    func dtls(_ datagram: [UInt8], _ source: PeerAddress, _ now: MediaTime) {
        datagram.withUnsafeBytes { receiveDTLS($0, from: source, now: now) }
    }

    func stun(_ datagram: [UInt8], _ source: PeerAddress, _ now: MediaTime, _ ledger: inout Ledger) {
        ledger.receive(datagram.count, from: source)
        stun(datagram, source, now)
        settle(&ledger)
    }

    func dtls(_ datagram: [UInt8], _ source: PeerAddress, _ now: MediaTime, _ ledger: inout Ledger) {
        ledger.receive(datagram.count, from: source)
        dtls(datagram, source, now)
        settle(&ledger)
    }

    func time(_ now: MediaTime, _ ledger: inout Ledger) {
        handleTimeout(now: now)
        settle(&ledger)
    }

    /// Returns all pending outputs.
    func take() -> [Output] {
        var outputs: [Output] = []
        while let output = nextOutput() { outputs.append(output) }
        return outputs
    }

    func sent(_ outputs: [Output]) -> [PeerAddress: [[UInt8]]] {
        var sent: [PeerAddress: [[UInt8]]] = [:]
        for case .transmit(let bytes, let to) in outputs { sent[to, default: []].append(bytes) }
        return sent
    }

    private func settle(_ ledger: inout Ledger) {
        for case .transmit(let bytes, let to) in take() {
            ledger.send(bytes.count, to: to, nominated: to == selected, isConfirmed: isConnected)
        }
    }
}
