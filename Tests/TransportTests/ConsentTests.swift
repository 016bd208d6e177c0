import MediaBase
import Testing
import Transport

@Suite("Consent (RFC 7675): signs of life of peers that send no checks, in virtual time") struct ConsentTests {
    /// A call that is connected and whose client sends no checks from then on. The client itself does not mind.
    private func callWithoutChecks(isNative: Bool = false) throws -> VirtualCall {
        let call = try VirtualCall(seed: 6, isNative: isNative) { $0.consentTimeout = .seconds(86_400) }
        CallTests.connect(call)
        call.network.letsChecksThrough = false
        return call
    }

    @Test("authentic media from the selected address keeps the connection; 30 s after the last of it both sides end")
    func mediaAlone() throws {
        let call = try callWithoutChecks()
        call.startMedia()
        call.run(for: .seconds(75))
        #expect(call.areConnected, "\(call.relayEnd as Any)")
        call.stopMedia()
        call.run(for: .seconds(1))
        let last = try #require(call.mediaAtRelay.last)
        call.run(for: .seconds(40))
        let relay = try #require(call.relayEnd), client = try #require(call.clientEnd)
        #expect(relay.0 == .consentLost && relay.1 == last + .seconds(30), "\(relay)")
        #expect(client.0 == .closedByPeer && client.1 <= relay.1 + .milliseconds(20), "close_notify: \(client)")
    }

    @Test("keys of signalling: authentic media keeps the connection as well") func nativeMedia() throws {
        let call = try callWithoutChecks(isNative: true)
        call.startMedia()
        call.run(for: .seconds(75))
        #expect(call.areConnected)
    }

    @Test("media from an address that no check has validated does not keep the selected one in use")
    func mediaFromElsewhere() throws {
        let call = try callWithoutChecks()
        call.startMedia()
        call.run(for: .seconds(5))
        let last = try #require(call.mediaAtRelay.last)
        call.renumber()
        call.run(for: .seconds(40))
        let end = try #require(call.relayEnd)
        #expect(end.0 == .consentLost && end.1 <= last + .seconds(30) + .milliseconds(20), "\(end)")
        #expect(call.relay.strangers > 1_000)
    }

    @Test("CON-7 a silent peer is told by close_notify after 30 s") func silence() throws {
        let call = try callWithoutChecks()
        let connected = call.now
        call.run(for: .seconds(29))
        #expect(call.areConnected)
        call.run(for: .seconds(2))
        let relay = try #require(call.relayEnd), client = try #require(call.clientEnd)
        #expect(relay.0 == .consentLost && relay.1 <= connected + .seconds(30))
        #expect(client.0 == .closedByPeer)
    }
}
