import MediaBase
import MillraceTestKit
import SDP
import Testing
import Transport
import WebRTCClient
import WebRTCTestKit

@Suite("LIV-1 ICE restarts of a publisher without another offer") struct FragmentTests {
    private static let moved = SocketAddress("10.0.0.9", port: 4400)!

    private func candidate(_ port: UInt16) -> ICECandidate {
        ICECandidate(foundation: "1", transport: .udp, priority: 100, host: "192.0.2.1", port: port)
    }

    @Test("A fragment has the credentials and options of the offer, and all candidates in its first section")
    func fragment() throws {
        let endpoint = try PeerSession(seed: 1).publisher.endpoint
        let fragment = endpoint.fragment([candidate(1), candidate(2)])
        #expect(fragment.credentials == endpoint.configuration.credentials)
        #expect(fragment.options == ["trickle", "ice2"] && !fragment.isLite)
        #expect(fragment.bundle.map(\.rawValue) == ["0", "1"])
        let section = try #require(fragment.sections.first)
        #expect(fragment.sections.count == 1 && section.mid.rawValue == "0" && section.endOfCandidates)
        #expect(section.candidates.map(\.port) == [1, 2])
        let restart = endpoint.offerRestart([])
        #expect(restart.credentials != fragment.credentials && restart.sections.first?.endOfCandidates == true)
        #expect(endpoint.fragment([]).credentials == fragment.credentials, "until the answer")
    }

    @Test("Media continues at the relay's new address, with the same keys and without a new offer")
    func restart() throws {
        let session = try PeerSession(seed: 2)
        let endpoint = session.publisher.endpoint
        var packets = 0
        session.relay.onMedia = { _ in packets += 1 }
        session.run(seconds: 3)
        #expect(endpoint.isConnected && endpoint.isRelayLite && packets > 200)
        session.relay.move(to: Self.moved)
        session.run(seconds: 15)
        let lastConsent = try #require(endpoint.lastConsent)
        #expect(session.network.now - lastConsent > .seconds(9) && endpoint.isConnected)
        let before = packets

        let answer = try session.relay.restartPublisher(endpoint.offerRestart([]))
        let restarted = session.network.now
        try endpoint.resume(Array(answer.text.utf8), now: session.network.now)
        session.run(seconds: 5)
        #expect(try #require(endpoint.lastConsent) > restarted)
        #expect(endpoint.relayAddress?.address == Self.moved && endpoint.statistics.refused == 0)
        #expect(packets > before + 400 && session.ends.isEmpty)
    }

    @Test("An abandoned restart leaves the connection as it was; an answer to it is refused")
    func abandoned() throws {
        let session = try PeerSession(seed: 3)
        let endpoint = session.publisher.endpoint
        session.run(seconds: 2)
        let answer = try session.relay.restartPublisher(endpoint.offerRestart([]))
        endpoint.abandonRestart()
        #expect(throws: WebRTCEndpointError.self) {
            try endpoint.resume(Array(answer.text.utf8), now: session.network.now)
        }
        // The relay accepts both pairs of credentials until the first check with the new ones.
        session.run(seconds: 20)
        #expect(endpoint.isConnected && session.ends.isEmpty)
    }

    @Test(
        "Answers that cannot be used are refused",
        arguments: ["", "a=end-of-candidates\r\n", "a=ice-ufrag:abcd\r\n", "m=audio 9 RTP/AVP 0\r\n", "\u{0}"])
    func unusable(text: String) throws {
        let session = try PeerSession(seed: 4)
        let endpoint = session.publisher.endpoint
        session.run(seconds: 1)
        _ = endpoint.offerRestart([])
        #expect(throws: WebRTCEndpointError.self) { try endpoint.resume(Array(text.utf8), now: session.network.now) }
        session.run(seconds: 2)
        #expect(endpoint.isConnected)
    }

    @Test("Further candidates are taken with the credentials of the ICE session, and not with others")
    func further() throws {
        for isOther in [false, true] {
            let session = try PeerSession(seed: 5)
            let endpoint = session.publisher.endpoint
            session.relay.move(to: Self.moved)
            session.run(seconds: 1)
            #expect(!endpoint.isConnected)
            var fragment = TrickleFragment(
                credentials: nil,
                sections: [
                    .init(
                        mid: endpoint.offer.media.first?.mid.flatMap { MID($0) } ?? MID("0")!, kind: .audio,
                        candidates: [
                            ICECandidate(
                                foundation: "1", transport: .udp, priority: 1, host: Self.moved.host,
                                port: Self.moved.port)
                        ])
                ])
            if isOther { fragment.credentials = endpoint.configuration.credentials }
            try endpoint.add(Array(fragment.text.utf8), now: session.network.now)
            session.run(seconds: 3)
            #expect(endpoint.isConnected == !isOther)
        }
    }

    @Test("Many restarts do not use up the places of candidates") func manyRestarts() throws {
        let session = try PeerSession(seed: 6)
        let endpoint = session.publisher.endpoint
        session.run(seconds: 1)
        for number in 1...60 as ClosedRange<UInt16> {
            session.relay.move(to: SocketAddress("10.0.0.9", port: 4_400 + number)!)
            let answer = try session.relay.restartPublisher(endpoint.offerRestart([]))
            try endpoint.resume(Array(answer.text.utf8), now: session.network.now)
            session.run(seconds: 0.5)
            #expect(endpoint.relayAddress?.address.port == 4_400 + number)
        }
        #expect(endpoint.isConnected && session.ends.isEmpty)
    }
}
