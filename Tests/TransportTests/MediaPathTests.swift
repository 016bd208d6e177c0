import MediaBase
import Testing
import Transport

@Suite("Paths that cannot be established are reported (CON-9)") struct MediaPathTests {
    private static let timeout = MediaTime.seconds(10)

    /// Returns both sides' reports 14 s after the start; each is made once, after 10 s.
    private func reports(
        _ network: VirtualCall.Network, isNative: Bool = false
    ) throws -> (relay: MediaPathFailure?, client: MediaPathReport?) {
        var network = network
        network.letsTCPThrough = false
        let call = try VirtualCall(seed: 9, network: network, isNative: isNative)
        call.run(until: .milliseconds(9_999)) { false }
        #expect(call.relayFailure == nil && call.clientReport == nil)
        call.run(until: .seconds(14)) { false }
        #expect(call.relayFailure?.1 == Self.timeout && call.clientReport?.1 == Self.timeout)
        #expect(call.trace.count { $0.hasSuffix("client has no path") } == 1)
        #expect(call.trace.count { $0.contains("relay has no path") } == 1)
        #expect(call.relayEnd == nil && call.clientEnd == nil, "there is time left to connect")
        return (call.relayFailure?.0, call.clientReport?.0)
    }

    @Test(
        "Nothing passes: the relay received nothing, the client names the candidates it tried",
        arguments: [false, true])
    func nothing(isNative: Bool) throws {
        let (relay, client) = try reports(.init(letsUDPThrough: false), isNative: isNative)
        #expect(relay == .noPackets)
        let report = try #require(client)
        #expect(report.stage == .ice)
        #expect(
            report.candidates.map(\.address.description)
                == ["203.0.113.1:7882", "[2001:db8::1]:7882", "203.0.113.1:7882"])
        #expect(report.candidates.map(\.isTCP) == [false, false, true])
        #expect(report.candidates.allSatisfy { $0.answers == 0 })
        // Sent after 0, 0.5, 1.5, 3.5 and 7.5 s; the TCP connection was not established.
        #expect(report.candidates.map(\.checks) == [5, 5, 0])
    }

    @Test("The client receives nothing: the relay received STUN and no handshake", arguments: [false, true])
    func oneWay(isNative: Bool) throws {
        let (relay, client) = try reports(.init(reachesClient: false), isNative: isNative)
        #expect(relay == .noHandshake(hasBegun: false))
        #expect(client?.stage == .ice && client?.candidates.contains { $0.answers > 0 } == false)
    }

    @Test("DTLS does not pass: the client has a candidate that answered, the relay knows whether DTLS arrived")
    func handshake() throws {
        var (relay, client) = try reports(.init(letsClientDTLSThrough: false))
        #expect(relay == .noHandshake(hasBegun: false) && client?.stage == .dtls)
        #expect(client?.candidates.contains { $0.answers > 0 } == true)
        (relay, client) = try reports(.init(letsRelayDTLSThrough: false))
        #expect(relay == .noHandshake(hasBegun: true) && client?.stage == .dtls)
    }

    @Test("A path that is established late is used, and one that is established in time is not reported")
    func late() throws {
        let call = try VirtualCall(seed: 9, network: .init(letsUDPThrough: false, letsTCPThrough: false)) {
            $0.pathTimeout = .seconds(1)
        }
        call.run(until: .seconds(2)) { false }
        #expect(call.clientReport?.1 == .seconds(1))
        call.network.letsUDPThrough = true
        CallTests.connect(call, within: .seconds(3))
        let good = try VirtualCall(seed: 10)
        good.startMedia()
        good.run(for: .seconds(30))
        #expect(good.areConnected && good.relayFailure == nil && good.clientReport == nil)
    }

    @Test("The operator's line names the side from which nothing was received")
    func lines() {
        let lines = [
            MediaPathFailure.noPackets, .noHandshake(hasBegun: false), .noHandshake(hasBegun: true), .noMedia,
        ].map(\.explanation)
        #expect(Set(lines).count == 4 && lines.allSatisfy { !$0.contains("\n") })
        #expect(lines[0].hasSuffix("nothing was received from the client"))
        #expect(lines[1].hasSuffix("the client receives nothing from the relay"))
        #expect(lines[3].hasSuffix("no media was received from the client"))
    }
}
