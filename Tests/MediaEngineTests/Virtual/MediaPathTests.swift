import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import Testing
import Transport

@Suite("WebRTC peers without media are counted and reported by cause (CON-9), in virtual time")
struct MediaPathTests {
    private func allow(_ kinds: [DatagramKind], of client: VirtualClient) {
        client.alter = { bytes in bytes.withUnsafeBytes { kinds.contains(DatagramKind($0)) } ? bytes : nil }
    }

    private func failures(_ call: VirtualCall) async -> [TransportID: [MediaPathFailure]] {
        call.relay.close()
        var failures: [TransportID: [MediaPathFailure]] = [:]
        for await event in call.relay.events {
            if case .noMediaPath("room", let transport, let failure) = event {
                failures[transport, default: []].append(failure)
            }
        }
        return failures
    }

    @Test("No packets, no handshake and no media are each reported once, 10 s after the answer or the connection")
    func causes() async throws {
        let call = try VirtualCall(seed: 51)
        let silent = try call.offerAlone(stream: "silent")
        let checking = try call.publish(stream: "checking")
        allow([.stun], of: checking)
        let mute = try call.publish(stream: "mute")
        allow([.stun, .dtls, .rtcp], of: mute)
        let good = try call.publish(stream: "good")
        call.run(seconds: 0.5)
        let subscriber = try call.view(stream: "good")
        call.run(seconds: 9.4)
        #expect(call.relay.counters.pathFailures.map(\.count) == [0, 0, 0])
        call.run(seconds: 0.12)
        #expect(call.relay.counters.pathFailures.map(\.count) == [1, 1, 0])
        call.run(seconds: 30)
        let counters = call.relay.counters
        #expect(counters.pathFailures.map(\.cause) == ["no_packets", "no_handshake", "no_media"])
        #expect(counters.pathFailures.map(\.count) == [1, 1, 1])
        #expect(counters.peersTimedOut == 2 && counters.peersConnected == 3)
        let told = await failures(call)
        #expect(told[silent] == [.noPackets] && told[checking.id] == [.noHandshake(hasBegun: false)])
        #expect(told[mute.id] == [.noMedia])
        #expect(told[good.id] == nil && told[subscriber.id] == nil)
    }

    @Test("A muted publisher need not send media; once it is unmuted, missing media is reported")
    func muted() throws {
        let call = try VirtualCall(seed: 52)
        let publisher = try call.publish()
        allow([.stun, .dtls, .rtcp], of: publisher)
        call.run(seconds: 1)
        try call.control {
            try $0.setMuted(session: "room", stream: "stream", kind: .audio, muted: true)
            try $0.setMuted(session: "room", stream: "stream", kind: .video, muted: true)
        }
        call.run(seconds: 25)
        #expect(call.relay.counters.pathsWithoutMedia == 0)
        try call.control { try $0.setMuted(session: "room", stream: "stream", kind: .audio, muted: false) }
        call.run(seconds: 11)
        #expect(call.relay.counters.pathsWithoutMedia == 1)
        call.run(seconds: 30)
        #expect(call.relay.counters.pathsWithoutMedia == 1)
    }

    @Test("MUT-1 a publisher of one stream that starts muted sends no packets of that kind until it is unmuted")
    func publisherStartsMuted() throws {
        let call = try VirtualCall(seed: 12)
        try call.publish(startsMuted: [.audio])
        call.run(seconds: 0.5)
        let subscriber = try call.view()
        call.run(seconds: 2)
        #expect(subscriber.reception.audioPackets == 0 && subscriber.reception.frames > 20)
        try call.control { try $0.setMuted(session: "room", stream: "stream", kind: .audio, muted: false) }
        call.run(seconds: 1)
        #expect(subscriber.reception.audioPackets > 30 && subscriber.reception.wrong == 0)
    }
}
