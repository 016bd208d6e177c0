import MediaBase
import Testing
import Transport

@Suite("Consent (RFC 7675): peers that send media but no checks, in virtual time") struct ConsentTests {
    /// Returns a connected call whose client sends no more checks. The client itself keeps the call without answers.
    private func callWithoutChecks(isNative: Bool = false) throws -> VirtualCall {
        let call = try VirtualCall(seed: 6, isNative: isNative) { $0.consentTimeout = .seconds(86_400) }
        CallTests.connect(call)
        call.network.letsChecksThrough = false
        return call
    }

    @Test("Authentic media from the selected address keeps the connection; 30 s after the last packet both sides end")
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

    @Test("With keys of signalling, authentic media keeps the connection as well") func nativeMedia() throws {
        let call = try callWithoutChecks(isNative: true)
        call.startMedia()
        call.run(for: .seconds(75))
        #expect(call.areConnected)
    }

    @Test("Media from an address that no check has validated does not keep the selected one in use")
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

    @Test("CON-7 a silent peer gets a close_notify after 30 s") func silence() throws {
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
