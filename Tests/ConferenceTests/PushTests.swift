import Conference
import Foundation
import MediaBase
import Signaling
import Testing

@Suite("LIV-1 live streams that the host starts") struct PushTests {
    private static let url = "https://live.example/whip/key"
    private static let first = PushID(rawValue: "live1")

    /// Returns a session with a host, another participant, and the host's stream.
    private func stage(isEncrypted: Bool? = nil) throws -> (World, host: ConnectionID, guest: ConnectionID, StreamID) {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let guest = try world.join()
        let plan = try world.prepare(
            [PublishRequest.Stream(name: "camera", audioMid: "0", videoMid: "1", isEncrypted: isEncrypted)], host)
        world.confirm(plan)
        world.announce(plan)
        return (world, host, guest, try #require(world.conference.streams.first).id)
    }

    private func events(_ world: World, _ id: ConnectionID) -> [Event] {
        world.deliverAll()
        return world.clients[id]?.events.filter {
            switch $0 {
            case .liveStarted, .liveFailed, .liveStopped: true
            default: false
            }
        } ?? []
    }

    @Test("USR-4 start, failure and end: all are told that the stream is live, only the host of failures")
    func course() throws {
        let (world, host, guest, stream) = try stage()
        let answer = try world.request(StartPushRequest(to: Self.url, token: "t", stream: stream), host)
        #expect(answer?.id == Self.first && world.pushes == [Self.first])
        #expect(events(world, host) == [] && events(world, guest) == [])

        let started = Event.liveStarted(PushStarted(id: Self.first, stream: stream))
        world.push(Self.first, .started)
        #expect(events(world, host) == [started] && events(world, guest) == [started])
        let late = try world.join()
        #expect(events(world, late) == [started])

        let failed = Event.liveFailed(
            PushFailed(id: Self.first, stream: stream, reason: .connectionLost, detail: "lost", retryIn: 2))
        world.push(Self.first, .failed(.connectionLost, detail: "lost", retryIn: 2))
        #expect(events(world, host) == [started, failed] && events(world, guest) == [started])
        #expect(world.conference.pushes.map(\.isLive) == [false] && world.pushes == [Self.first])

        #expect(code { try world.request(StopPushRequest(id: Self.first), guest) } == .notPermitted)
        try world.request(StopPushRequest(id: Self.first), host)
        let stopped = Event.liveStopped(PushStopped(id: Self.first, stream: stream, reason: .stopped))
        #expect(events(world, guest) == [started, stopped] && events(world, host) == [started, failed, stopped])
        #expect(world.pushes == [] && world.conference.pushes.isEmpty)
        #expect(code { try world.request(StopPushRequest(id: Self.first), host) } == .unknownLive)
        // A report that comes late has no effect.
        world.push(Self.first, .started)
        #expect(world.lastEffects == [] && world.violations() == [])
    }

    @Test("A failure without another try ends the live stream; only the host is told if it never began")
    func finalFailure() throws {
        let (world, host, guest, stream) = try stage()
        try world.request(StartPushRequest(to: Self.url, stream: stream), host)
        world.push(Self.first, .failed(.addressRefused, detail: "private", retryIn: nil))
        #expect(
            events(world, host) == [
                .liveFailed(
                    PushFailed(id: Self.first, stream: stream, reason: .addressRefused, detail: "private")),
                .liveStopped(PushStopped(id: Self.first, stream: stream, reason: .failed)),
            ])
        #expect(events(world, guest) == [] && world.pushes == [])
        #expect(world.hooks.suffix(2).map { if case .liveStopped = $0 { true } else { false } } == [false, true])
    }

    @Test("A live stream ends with its stream, and with the session")
    func ends() throws {
        let (world, host, guest, stream) = try stage()
        try world.request(StartPushRequest(to: Self.url, stream: stream), host)
        world.push(Self.first, .started)
        try world.request(UnpublishRequest(stream: stream), host)
        #expect(
            events(world, guest).last
                == .liveStopped(PushStopped(id: Self.first, stream: stream, reason: .streamEnded)))
        #expect(world.pushes == [] && world.violations() == [])

        let (other, owner, subscriber, camera) = try stage()
        try other.request(StartPushRequest(to: Self.url, stream: camera), owner)
        other.push(Self.first, .started)
        try other.request(LeaveRequest(endForAll: true), owner)
        #expect(
            events(other, subscriber).last
                == .liveStopped(PushStopped(id: Self.first, stream: camera, reason: .sessionEnded)))
        #expect(other.pushes == [] && other.ended != nil && other.faults == [])
    }

    @Test(
        "The programme is pushed until the session ends, whatever streams end; not in a session with encrypted streams")
    func programme() throws {
        let (world, host, guest, stream) = try stage()
        try world.request(StartPushRequest(to: Self.url), host)
        world.push(Self.first, .started)
        let started = Event.liveStarted(PushStarted(id: Self.first, stream: nil))
        #expect(events(world, guest) == [started])
        try world.request(UnpublishRequest(stream: stream), host)
        #expect(world.pushes == [Self.first] && events(world, guest) == [started])
        #expect(world.conference.pushes.map(\.stream) == [nil])
        try world.request(LeaveRequest(endForAll: true), host)
        #expect(
            events(world, guest).last
                == .liveStopped(PushStopped(id: Self.first, stream: nil, reason: .sessionEnded)))
        #expect(world.pushes == [] && world.violations() == [] && world.faults == [])

        // The session also ends when its last participants leave.
        let (left, last, other, _) = try stage()
        try left.request(StartPushRequest(to: Self.url), last)
        left.push(Self.first, .started)
        try left.request(LeaveRequest(), other)
        #expect(left.pushes == [Self.first])
        try left.request(LeaveRequest(), last)
        #expect(left.pushes == [] && left.conference.isEnded && left.conference.pushes.isEmpty)
        #expect(left.hooks.contains(.liveStopped(PushStopped(id: Self.first, stream: nil, reason: .sessionEnded))))

        let (encrypted, owner, _, _) = try stage(isEncrypted: true)
        #expect(code { try encrypted.request(StartPushRequest(to: Self.url), owner) } == .streamEncrypted)
        let json = try JSONEncoder().encode(PushStarted(id: Self.first, stream: nil))
        #expect(String(decoding: json, as: UTF8.self) == #"{"id":"live1"}"#)
    }

    @Test("At most 4 live streams in a session")
    func limit() throws {
        let (world, host, _, stream) = try stage()
        for _ in 0..<4 { try world.request(StartPushRequest(to: Self.url, stream: stream), host) }
        #expect(
            code { try world.request(StartPushRequest(to: Self.url, stream: stream), host) } == .limitReached)
        try world.request(StopPushRequest(id: PushID(rawValue: "live2")), host)
        let answer = try world.request(StartPushRequest(to: Self.url, stream: stream), host)
        #expect(answer?.id == PushID(rawValue: "live5") && world.pushes.count == 4)
    }

    @Test("Encrypted and unknown streams are refused, and invalid URLs and tokens")
    func refusals() throws {
        let (encrypted, owner, _, sealed) = try stage(isEncrypted: true)
        #expect(
            code { try encrypted.request(StartPushRequest(to: Self.url, stream: sealed), owner) } == .streamEncrypted)

        let (world, host, _, stream) = try stage()
        func refusal(_ to: String, _ token: String? = nil) -> ErrorCode? {
            code { try world.request(StartPushRequest(to: to, token: token, stream: stream), host) }
        }
        for url in ["", "ftp://live.example/", "http://live.example/", "https://a b/", "live.example", "https:ä"] {
            #expect(refusal(url) == .invalidField, "\(url)")
        }
        #expect(refusal("https://a/" + String(repeating: "x", count: 2_048)) == .invalidField)
        for token in ["", "a b", "a\r\nHost: b", String(repeating: "x", count: 2_049)] {
            #expect(refusal(Self.url, token) == .invalidField, "\(token)")
        }
        let none = StreamID(rawValue: "none")
        #expect(code { try world.request(StartPushRequest(to: Self.url, stream: none), host) } == .unknownStream)
        #expect(world.pushes == [])

        // The operator may allow `http:` for one live stream.
        let plain = StartPushRequest(to: "http://live.example/", stream: stream)
        let started = try world.conference.startPush(plain, allowsHTTP: true, now: world.now).get()
        #expect(started.effects == [.push(.start(started.id, plain))])
    }
}
