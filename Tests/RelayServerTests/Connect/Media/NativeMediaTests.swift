import MediaBase
import Signaling
import Testing
import Transport

@testable import ControlServer

@Suite("Native media over the control protocol", .serialized)
struct NativeMediaTests {
    private func enter(_ name: String, _ relay: ConnectFixture) async throws -> MediaClient {
        let (socket, answer) = try await relay.join(name)
        #expect(answer.transports == [.native, .webRTC])
        #expect(answer.videoCodecs == VideoCodec.allCases.map(\.rawValue))
        return try await MediaClient(
            socket, answer, publishing: MediaPeer(.publish, isNative: true),
            receiving: MediaPeer(.receive, isNative: true))
    }

    @Test(
        "STR-1 STR-3 STR-4 audio and video flow without DTLS; mutes, ICE restarts and unpublishing work",
        .timeLimit(.minutes(2)))
    func media() async throws {
        try await withConnect { relay in
            let ada = try await enter("Ada", relay)
            let ben = try await enter("Ben", relay)
            // A WebRTC client in the same session.
            let eve = try await relay.enter("Eve")
            let camera = try await ada.publish("camera")
            let id = try #require(camera.id)
            _ = try await ben.socket.next(.streamCreated)
            let sections = try await ben.subscribe(id, transport: .native)
            try await ben.hears(sections)
            let others = try await eve.subscribe(id)
            try await eve.hears(others)

            let screen = try await ada.publish("screen", videoType: .screen, audio: false, besides: [camera])
            _ = try await ben.socket.next(.streamCreated)
            let more = try await ben.subscribe(try #require(screen.id))
            try await ben.hears(more)

            let mute = SetMutedRequest(stream: id, kind: .audio, isMuted: true)
            #expect(try await ada.socket.ask(mute) == nil)
            try await ben.sees(2, more: sections)
            let silent = ben.receiving.reception(sections.audioMid).audioPackets
            try await ben.sees(8, more: sections)
            #expect(ben.receiving.reception(sections.audioMid).audioPackets == silent)

            #expect(try await ben.socket.ask(RestartICERequest()) == nil)
            try await ben.answerOffer()
            try await ben.sees(8, more: sections)
            #expect(try await ada.socket.ask(UnpublishRequest(stream: id)) == nil)
            try await ben.sees(5, more: more)
            for client in [ada, ben, eve] { await client.close() }
        }
    }

    @Test("an offer with other keys replaces the peer connection, and the streams continue", .timeLimit(.minutes(2)))
    func otherKeys() async throws {
        try await withConnect { relay in
            let ada = try await enter("Ada", relay)
            let ben = try await enter("Ben", relay)
            var camera = try await ada.publish("camera")
            let id = try #require(camera.id)
            _ = try await ben.socket.next(.streamCreated)
            let sections = try await ben.subscribe(id, transport: .native)
            try await ben.hears(sections)
            let anew = try await MediaPeer(.publish, isNative: true)
            let indices = anew.add()
            let (sdp, mids) = anew.offer()
            camera.audioMid = indices.audio.flatMap { mids[$0] }
            camera.videoMid = indices.video.flatMap { mids[$0] }
            let answer = try await ada.socket.request(
                PublishRequest(sdp: sdp, streams: [camera])
            ).get()
            try anew.accept(answer.sdp)
            try await ben.hears(sections)
            #expect(!ben.socket.events.contains { $0.event.name == .streamDestroyed })
            await anew.close()
            for client in [ada, ben] { await client.close() }
        }
    }

    @Test("SDES keys are accepted only over TLS or over loopback, in both directions", .timeLimit(.minutes(2)))
    func refused() async throws {
        try await withConnect({ $0.connect.takesKeysOnLoopback = false }) { relay in
            let (socket, answer) = try await relay.join("Ada")
            #expect(answer.transports == [.webRTC])
            let peer = try await MediaPeer(.publish, isNative: true)
            _ = peer.add()
            let (sdp, mids) = peer.offer()
            let stream = PublishRequest.Stream(name: "camera", audioMid: mids[0], videoMid: mids[1])
            let refused = try await socket.request(PublishRequest(sdp: sdp, streams: [stream]))
            #expect(refused.failure?.code == .insecureConnection)
            #expect(await relay.engine.sessions().isEmpty)
            // WHIP never accepts SDES keys.
            let whip = try await relay.http.request(
                "POST", "/whip/demo", body: sdp, fields: ["Content-Type": "application/sdp"])
            #expect(whip.status == 422)

            let browser = try await relay.enter("Eve")
            let id = try #require(try await browser.publish("camera").id)
            _ = try await socket.next(.streamCreated)
            for (transport, code) in [
                (MediaTransport.native, ErrorCode.insecureConnection),
                (MediaTransport(rawValue: "pigeon"), .invalidField),
            ] {
                let wish = SubscribeRequest(stream: id, transport: transport)
                #expect(try await socket.ask(wish)?.code == code)
            }
            #expect(try await socket.ask(SubscribeRequest(stream: id, transport: .webRTC)) == nil)
            _ = try await socket.next(.offer)
            // The transport of an existing subscription cannot be changed.
            let other = SubscribeRequest(stream: id, transport: .native)
            #expect(try await socket.ask(other)?.code == .invalidField)
            await peer.close()
            await browser.close()
        }
    }

    @Test(
        "addresses that count as this host",
        arguments: [
            ("127.0.0.1", true), ("127.9.8.7", true), ("::1", true), ("::ffff:127.0.0.1", true), ("", false),
            ("128.0.0.1", false), ("::ffff:10.0.0.1", false), ("::2", false), ("10.127.0.1", false),
        ])
    func loopback(_ address: String, _ isLoopback: Bool) {
        #expect(ClientSocket.isLoopback(address) == isLoopback)
    }
}
