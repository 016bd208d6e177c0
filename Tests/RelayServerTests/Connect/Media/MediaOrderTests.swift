import Conference
import MediaBase
import NIOConcurrencyHelpers
import Signaling
import Testing

@testable import ControlServer
@testable import MediaEngine

@Suite("Commands of a session to the media engine", .serialized)
struct MediaOrderTests {
    /// Blocks a session's queue of engine calls, as a slow call would.
    private final class Stall: Sendable {
        private let isOver = NIOLockedValueBox(false)

        init(_ liveSession: LiveSession) async throws {
            Task { await liveSession.inOrder { while !isOver.withLockedValue({ $0 }) { await moment() } } }
            try await eventually("the lane is held") { await liveSession.orders.isBusy }
        }

        func end() { isOver.withLockedValue { $0 = true } }
    }

    private func liveSession(_ relay: ConnectFixture) throws -> LiveSession {
        try #require(
            relay.liveSessions.liveSession(SessionKey(app: "app", name: "demo")) ?? relay.liveSessions.all.first)
    }

    private func plain(_ stream: String, _ relay: ConnectFixture) async throws -> StreamID {
        let answer = try await relay.http.request(
            "POST", "/v1/sessions/demo/plain", body: #"{"direction":"publish","stream":"\#(stream)","audio":{}}"#)
        #expect(answer.status == 201)
        return StreamID(rawValue: stream)
    }

    @Test("USR-8 MUT-2 a mute overtakes queued commands, and is answered when in force", .timeLimit(.minutes(2)))
    func muteAtOnce() async throws {
        try await withConnect { relay in
            let ada = try await relay.enter("Ada", token: .host)
            let id = try #require(try await ada.publish("camera").id)
            _ = try await ada.socket.next(.streamCreated)
            let liveSession = try liveSession(relay)
            let cam = try await plain("cam", relay)
            func isMuted(_ stream: StreamID) async throws -> Bool? {
                try await relay.engine.streams(session: liveSession.engineName)
                    .first { $0.name == stream.rawValue }?.audio?.muted
            }
            try await eventually("sound has come") { try await isMuted(id) != nil }
            let stall = try await Stall(liveSession)
            for state in [true, false, true] {
                let mute = SetMutedRequest(stream: id, kind: .audio, isMuted: state)
                #expect(try await ada.socket.ask(mute) == nil)
                #expect(try await isMuted(id) == state)
            }
            #expect(try await ada.socket.ask(ForceMuteStreamRequest(stream: cam)) == nil)
            #expect(try await isMuted(cam) == true)
            // STR-4: unpublishing does not wait either.
            #expect(try await ada.socket.ask(UnpublishRequest(stream: id)) == nil)
            try await eventually("it is gone") { try await isMuted(id) == nil }
            #expect(await liveSession.orders.isBusy)
            stall.end()
            await ada.close()
        }
    }

    @Test("USR-6 the media of a removed user ends at once", .timeLimit(.minutes(2)))
    func removedAtOnce() async throws {
        try await withConnect { relay in
            let ada = try await relay.enter("Ada", token: .host)
            let ben = try await relay.enter("Ben")
            let id = try #require(try await ben.publish("camera").id)
            _ = try await ada.socket.next(.streamCreated)
            let liveSession = try liveSession(relay)
            let stall = try await Stall(liveSession)
            #expect(try await ada.socket.ask(RemoveUserRequest(user: ben.joined.connection)) == nil)
            try await eventually("the engine has it no more") {
                let streams = (try? await relay.engine.streams(session: liveSession.engineName)) ?? []
                return !streams.contains { $0.name == id.rawValue }
            }
            #expect(await liveSession.orders.isBusy)
            stall.end()
            for client in [ada, ben] { await client.close() }
        }
    }

    @Test(
        "USR-12 a removal is answered when every connection, transport and stream of the token has ended",
        .timeLimit(.minutes(2)))
    func removedWithAllConnections() async throws {
        try await withConnect { relay in
            let ada = try await relay.enter("Ada", token: .host)
            let token = TestToken()
            let fields = ["Authorization": "Bearer \(token.text)"]
            let ben = try await relay.enter("Ben", token: token)
            let camera = try #require(try await ben.publish("camera").id)
            let (second, _) = try await relay.join("Ben's phone", token: token)
            let encoder = try await MediaPeer(.publish, source: 2)
            _ = encoder.add(audio: true, video: false)
            let answer = try await relay.http.request(
                "POST", "/whip/demo?stream=encoder", body: encoder.offer().sdp,
                fields: RawHTTPClient.sdp.merging(fields) { $1 })
            try #require(answer.status == 201, "\(answer.text)")
            try encoder.accept(answer.text)
            let resource = try #require(answer.fields["location"])
            for _ in 0..<2 { _ = try await ada.socket.next(.streamCreated) }
            // Media of the WHIP publisher arrives.
            let sections = try await ada.subscribe(StreamID(rawValue: "encoder"))
            try await ada.hears(sections)
            let liveSession = try liveSession(relay)
            func streams() async -> [String] {
                ((try? await relay.engine.streams(session: liveSession.engineName)) ?? []).map(\.name)
            }
            #expect(Set(await streams()) == ["encoder", camera.rawValue])

            #expect(try await ada.socket.ask(RemoveUserRequest(user: ben.joined.connection)) == nil)
            // Checked without waiting: the answer is sent after all have ended.
            #expect(await streams() == [])
            #expect(await liveSession.transports.keys.count == 1, "Ada's own")
            #expect(await liveSession.users.map(\.name) == ["Ada"])
            let gone = try await relay.http.request("GET", resource, fields: fields)
            #expect(gone.status == 404, "\(gone.text)")
            for socket in [ben.socket, second] {
                #expect(try await socket.next(.disconnected) == .disconnected(Disconnected(reason: .removed)))
                #expect(try await socket.closing() == .init(code: 1000, reason: "removed"))
            }
            await encoder.close()
            for client in [ada, ben] { await client.close() }
        }
    }

    @Test("STR-3 queued subscription changes are merged per stream and limited in number", .timeLimit(.minutes(2)))
    func bounded() async throws {
        try await withConnect({ $0.connect.mediaOrders = 2 }) { relay in
            let (ada, joined) = try await relay.join("Ada")
            var streams: [StreamID] = []
            for name in ["one", "two", "three"] { streams.append(try await plain(name, relay)) }
            for _ in streams { _ = try await ada.next(.streamCreated) }
            let liveSession = try liveSession(relay)
            let stall = try await Stall(liveSession)
            for stream in streams.prefix(2) {
                #expect(try await ada.ask(SubscribeRequest(stream: stream)) == nil)
            }
            let refused = try await ada.ask(SubscribeRequest(stream: streams[2]))
            #expect(refused?.code == .limitReached && refused?.limit == "limit.mediaOrders")
            for height in 1...300 {
                let wish = UpdateSubscriptionRequest(
                    stream: streams[0], preferences: SubscriptionPreferences(height: height))
                #expect(try await ada.ask(wish) == nil)
            }
            // Changes that cancel out do not add to the queue.
            for _ in 0..<50 {
                #expect(try await ada.ask(UnsubscribeRequest(stream: streams[1])) == nil)
                #expect(try await ada.ask(SubscribeRequest(stream: streams[1])) == nil)
            }
            #expect(await liveSession.orders.count(of: joined.connection) == 2)
            stall.end()
            guard case .offer(let offer) = try await ada.next(.offer) else { return }
            #expect(Set(offer.streams.map(\.id)) == Set(streams.prefix(2)))
            #expect(await liveSession.orders.count(of: joined.connection) == 0)
            #expect(try await ada.ask(SubscribeRequest(stream: streams[2])) == nil)
        }
    }

    @Test("commands for one subscription are merged into their combined effect")
    func merging() {
        let low = SubscriptionPreferences(height: 90)
        let high = SubscriptionPreferences(height: 720)
        var orders = MediaOrders()
        let ada = ConnectionID(rawValue: "ada")
        let stream = StreamID(rawValue: "stream")
        func outcome(_ all: [SubscriptionOrder]) -> SubscriptionOrder? {
            for order in all { orders.add(order, stream, of: ada) }
            return orders.take()?.order
        }
        #expect(outcome([.begin(low), .change(high)]) == .begin(high))
        #expect(outcome([.begin(low), .end]) == nil)
        #expect(outcome([.begin(low), .end, .begin(high)]) == .begin(high))
        #expect(outcome([.change(low), .change(high)]) == .change(high))
        #expect(outcome([.change(low), .end]) == .end)
        #expect(outcome([.end, .begin(low), .change(high)]) == .renew(high))
        #expect(outcome([.end, .begin(low), .end]) == .end)
        #expect(orders.count(of: ada) == 0)
    }

    @Test(
        "USR-8 a mute that the engine fails to apply is an error, and no client is told that the stream is muted",
        .timeLimit(.minutes(2)))
    func failedMute() async throws {
        try await withConnect { relay in
            let (ada, _) = try await relay.join("Ada", token: .host)
            let cam = try await plain("cam", relay)
            _ = try await ada.next(.streamCreated)
            let liveSession = try liveSession(relay)
            #expect(try await ada.ask(ForceMuteStreamRequest(stream: cam)) == nil)
            _ = try await ada.next(.streamChanged)
            let refused = EngineCall { $0.settle(.failure(.limitReached(name: "mailbox", limit: 1))) }
            let error = await liveSession.outcome(of: [
                MediaCall(command: .setMuted(cam, .audio, true), call: refused)
            ])
            #expect(error?.code == .limitReached && error?.limit == "limit.mailbox")
            guard case .streamChanged(let changed) = try await ada.next(.streamChanged) else { return }
            #expect(!changed.stream.isAudioMuted && changed.stream.hasAudio)
            // A stream that has ended is reported as unknown.
            let gone = EngineCall { $0.settle(.failure(.unknownStream("x"))) }
            let unknown = await liveSession.outcome(of: [
                MediaCall(command: .setMuted(StreamID(rawValue: "x"), .audio, true), call: gone)
            ])
            #expect(unknown?.code == .unknownStream)
        }
    }
}
