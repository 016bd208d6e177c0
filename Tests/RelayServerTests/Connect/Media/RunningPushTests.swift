import Conference
import MediaBase
import Signaling
import Testing

@testable import ControlServer
@testable import MediaEngine

@Suite("LIV-1 push of a live stream to another server", .serialized, .timeLimit(.minutes(5)))
struct RunningPushTests {
    /// Allows pushes to relays of the same test.
    private static func allow(_ configuration: inout ControlConfiguration) {
        configuration.connect.pushes.allowsPrivate = true
        configuration.connect.conference.policy.allowsPushHTTP = true
    }

    private func started(_ client: MediaClient) async throws -> PushStarted {
        guard case .liveStarted(let body) = try await client.socket.next(.liveStarted) else {
            throw SocketClient.Refused()
        }
        return body
    }

    /// Returns the next failure of a live stream. Others may fail in between.
    private func failed(_ client: MediaClient, _ live: PushID) async throws -> PushFailed {
        while true {
            guard case .liveFailed(let body) = try await client.socket.next(.liveFailed) else {
                throw SocketClient.Refused()
            }
            if body.id == live { return body }
        }
    }

    /// Subscribes to the pushed stream at its destination, and waits for audio and video of publisher 1.
    private func receive(at target: ConnectFixture) async throws {
        let peer = try await MediaPeer(.view)
        let answer = try await target.http.request(
            "POST", "/whep/demo/live?wait=20", body: peer.subscribingOffer, fields: RawHTTPClient.sdp)
        try #require(answer.status == 201, "\(answer.text)")
        try peer.accept(answer.text)
        try await eventually("audio and video") {
            peer.reception("0").audioPackets > 20 && peer.reception("1").frames > 10
        }
        #expect(peer.reception("0").sources == [1])
        await peer.close()
    }

    @Test("Audio and video reach a subscriber of another relay, also after that relay was stopped and started again")
    func push() async throws {
        try await withConnect(Self.allow) { source in
            let host = try await source.enter("Host", token: .host)
            let guest = try await source.enter("Guest")
            let camera = try #require(try await host.publish("camera").id)
            _ = try await host.socket.next(.streamCreated)
            var port = 0
            var live: PushID?
            try await withConnect { target in
                port = target.port
                let url = "http://127.0.0.1:\(port)/whip/demo/live"
                let token = TestToken(identity: "first relay").text
                let answer = try await host.socket.request(StartPushRequest(to: url, token: token, stream: camera))
                    .get()
                live = answer.id
                #expect(try await started(host) == PushStarted(id: answer.id, stream: camera))
                #expect(try await started(guest) == PushStarted(id: answer.id, stream: camera))
                try await receive(at: target)
                let users = try await target.liveSessions.participants(of: SessionKey(app: "app", name: "demo"))
                #expect(users.map(\.identity) == ["first relay"])
                let address = try SessionKey(app: "app", name: "demo")
                #expect(
                    try await source.liveSessions.pushes(of: address)
                        == [SessionPushAnswer(id: answer.id, stream: camera, isLive: true)])
            }
            let failure = try await failed(host, #require(live))
            #expect(failure.retryIn != nil)
            try await withConnect({ $0.port = port }) { target in
                #expect(try await started(host).id == live)
                try await receive(at: target)
                let id = try #require(live)
                #expect(try await host.socket.ask(StopPushRequest(id: id)) == nil)
                guard case .liveStopped(let end) = try await guest.socket.next(.liveStopped) else { return }
                #expect(end == PushStopped(id: id, stream: camera, reason: .stopped))
                // The resource is deleted, so its publisher leaves at once.
                try await eventually("the pushed stream ends", within: .seconds(5)) {
                    let sessions = await target.engine.sessions()
                    return sessions.allSatisfy { $0.publishers == 0 }
                }
            }
            try await eventually("the tap is closed") {
                try await source.engine.streams(session: "demo").allSatisfy { $0.taps == 0 }
            }
            for client in [host, guest] { await client.close() }
        }
    }

    @Test("Addresses inside the operator's network are refused, also as the address of a name")
    func privateAddresses() async throws {
        try await withConnect { source in
            let host = try await source.enter("Host", token: .host)
            let camera = try #require(try await host.publish("camera").id)
            _ = try await host.socket.next(.streamCreated)
            for name in ["127.0.0.1", "localhost", "[::1]", "169.254.169.254", "2130706433", "[::ffff:10.0.0.1]"] {
                let url = "https://\(name):\(source.port)/whip/demo/live"
                let answer = try await host.socket.request(StartPushRequest(to: url, stream: camera)).get()
                let failure = try await failed(host, answer.id)
                #expect(failure.reason == .addressRefused && failure.retryIn == nil, "\(name): \(failure)")
                guard case .liveStopped(let end) = try await host.socket.next(.liveStopped) else { return }
                #expect(end == PushStopped(id: answer.id, stream: camera, reason: .failed))
            }
            let http = StartPushRequest(to: "http://live.example/", stream: camera)
            #expect(try await host.socket.ask(http)?.code == .invalidField)
            await host.close()
        }
    }

    @Test("A live stream beyond the relay's limit fails; after an end another one is accepted")
    func limit() async throws {
        try await withConnect({
            Self.allow(&$0)
            $0.connect.pushes.pushes = 1
        }) { source in
            let host = try await source.enter("Host", token: .host)
            let camera = try #require(try await host.publish("camera").id)
            _ = try await host.socket.next(.streamCreated)
            // Nothing listens on port 1, so the push tries again until it is stopped.
            let request = StartPushRequest(to: "http://127.0.0.1:1/", stream: camera)
            let first = try await host.socket.request(request).get().id
            let refused = try await failed(host, first)
            #expect(refused.reason == .unreachable && refused.retryIn != nil)
            let second = try await host.socket.request(request).get().id
            let full = try await failed(host, second)
            #expect(full.reason == .internalError && full.retryIn == nil)
            #expect(try await host.socket.ask(StopPushRequest(id: first)) == nil)
            try await eventually("another one is accepted") {
                let third = try await host.socket.request(request).get().id
                return try await failed(host, third).retryIn != nil
            }
            await host.close()
        }
    }
}
