import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import Testing
import WebRTCClient

@Suite("Consent (RFC 7675): clients that send no checks once they are connected, in virtual time")
struct ConsentTests {
    /// Returns a connected publisher and subscriber that would continue without answers to their checks.
    private func makeCall() throws -> (VirtualCall, publisher: VirtualClient, subscriber: VirtualClient) {
        let call = try VirtualCall(seed: 41)
        call.clientConsentTimeout = .seconds(86_400)
        let publisher = try call.publish()
        call.run(seconds: 0.5)
        let subscriber = try call.view()
        call.run(seconds: 1.5)
        return (call, publisher, subscriber)
    }

    /// Lets a client send only datagrams of some kinds.
    private func restrict(_ client: VirtualClient, to kinds: [DatagramKind]) {
        client.alter = { bytes in bytes.withUnsafeBytes { kinds.contains(DatagramKind($0)) } ? bytes : nil }
    }

    @Test("A publisher that sends only SRTP and a subscriber that sends only SRTCP stay connected for 75 s")
    func media() throws {
        let (call, publisher, subscriber) = try makeCall()
        restrict(publisher, to: [.rtp])
        restrict(subscriber, to: [.rtcp])
        call.run(seconds: 75)
        #expect(publisher.end == nil && subscriber.end == nil && call.relay.counters.peersLostConsent == 0)
        #expect(try call.relay.streams(session: "room").count == 1)
        // Video at 30 frames/s and audio at 50 packets/s, without interruption.
        #expect(subscriber.reception.frames > 75 * 25, "\(subscriber.reception)")
        #expect(subscriber.audio.isContiguous && subscriber.reception.longestPause < .milliseconds(100))
    }

    @Test("CON-7 packets that are not authentic keep no connection: after 30 s the relay ends it by close_notify")
    func forged() throws {
        let (call, publisher, subscriber) = try makeCall()
        let start = call.now
        for client in [publisher, subscriber] {
            client.alter = { bytes in
                guard bytes.withUnsafeBytes({ [.rtp, .rtcp].contains(DatagramKind($0)) }) else { return nil }
                var forged = bytes
                forged[forged.count - 1] ^= 1
                // In SRTCP the index follows the tag in some suites and precedes it in others; this change breaks both.
                forged[forged.count - 8] ^= 1
                return forged
            }
        }
        call.run(seconds: 29)
        #expect(publisher.end == nil && subscriber.end == nil)
        let isEnded = call.run(atMost: 1.5) { publisher.end != nil && subscriber.end != nil }
        #expect(isEnded && call.now - start <= .seconds(30.5))
        #expect(publisher.end == .closedByPeer && subscriber.end == .closedByPeer)
        #expect(call.relay.counters.peersLostConsent == 2)
        #expect(call.relay.counters.droppedAuthentication > 1_000)
    }

    @Test("Copies of authentic packets keep no connection") func replayed() throws {
        let (call, publisher, subscriber) = try makeCall()
        var kept: [TransportID: [[UInt8]]] = [:]
        for client in [publisher, subscriber] {
            client.alter = { bytes in
                kept[client.id, default: []].append(bytes)
                return bytes
            }
        }
        call.run(seconds: 2)
        for client in [publisher, subscriber] { client.alter = { _ in nil } }
        let start = call.now
        while call.now - start < .seconds(31) {
            for client in [publisher, subscriber] {
                for bytes in kept[client.id] ?? [] {
                    call.network.send(bytes, from: client.address, to: VirtualCall.relayAddress)
                }
            }
            call.run(seconds: 1)
        }
        #expect(kept[publisher.id]?.count ?? 0 > 100 && kept[subscriber.id]?.count ?? 0 > 10)
        #expect(publisher.end == .closedByPeer && subscriber.end == .closedByPeer)
        #expect(call.relay.counters.peersLostConsent == 2 && call.relay.counters.droppedReplay > 1_000)
    }
}
