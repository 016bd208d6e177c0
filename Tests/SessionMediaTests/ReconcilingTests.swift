import Conference
import MediaBase
import SessionTestKit
import Signaling
import Testing

@testable import SessionMedia

@Suite("Missed events of the media plane")
struct ReconcilingTests {
    /// Runs orders and answers, and drops the events of the engine.
    private func settleWithoutEvents(_ world: MediaWorld) {
        world.drain()
        while !world.engine.mailbox.isEmpty || !world.engine.answers.isEmpty {
            if world.engine.mailbox.isEmpty { world.deliver(0) } else { world.engine.run() }
        }
        world.engine.events = []
    }

    private func reconcile(
        _ world: MediaWorld, _ state: MediaState, since inquiry: MediaInquiry? = nil, video: Set<StreamID> = []
    ) {
        let inquiry = inquiry ?? world.media.inquiry
        world.media.reconcile(state, since: inquiry) { _ in video }
        world.drain()
    }

    @Test("A stream with packets is announced, with its frame size and as the speaker")
    func streams() throws {
        let world = try MediaWorld()
        let host = try #require(world.join(.all))
        world.publish(host, keeping: [], new: [.camera])
        settleWithoutEvents(world)
        let stream = try #require(world.engine.streams.keys.first)
        var state = MediaState()
        state.streams = [MediaState.Stream(id: stream, hasMedia: false)]
        reconcile(world, state)
        #expect(world.conference.streams.isEmpty)
        state.streams = [
            MediaState.Stream(id: stream, hasMedia: true, size: .init(width: 640, height: 360), isSpeaking: true)
        ]
        reconcile(world, state)
        let info = try #require(world.conference.streams.first)
        #expect(info.id == stream && info.width == 640 && info.height == 360)
        #expect(world.reports.last == .activeSpeaker(stream, in: .mainSession))
        #expect(world.faults == [])
    }

    @Test("A plain publisher whose stream is missing leaves; one that began after the inquiry stays")
    func plainPublishers() throws {
        let world = try MediaWorld()
        let (ended, late) = (StreamID(rawValue: "ended"), StreamID(rawValue: "late"))
        world.visit(.publish(ended, [.audio]), isPlain: true)
        world.settle()
        let inquiry = world.media.inquiry
        world.visit(.publish(late, [.audio]), isPlain: true)
        world.settle()
        reconcile(world, MediaState(), since: inquiry)
        world.settle()
        #expect(world.media.owners.keys.sorted { $0.rawValue < $1.rawValue } == [late])
        #expect(world.conference.streams.map(\.id) == [late])
    }

    @Test("A publisher whose peer has ended loses its streams")
    func peers() throws {
        let world = try MediaWorld()
        let host = try #require(world.join(.all))
        world.publish(host, keeping: [], new: [.camera])
        world.settle()
        let peer = try #require(world.media.publisher(of: host))
        #expect(world.media.inquiry.peers == [peer])
        world.engine.end(peer)
        var state = MediaState()
        state.ended = [peer]
        reconcile(world, state)
        #expect(world.conference.streams.isEmpty && world.media.publisher(of: host) == nil)
        #expect(world.reports.contains(.reset(host, publish: true, subscribe: false)))
    }

    @Test("Paused video is reported for streams whose video the client has subscribed to")
    func pauses() throws {
        let world = try MediaWorld()
        let host = try #require(world.join(.all))
        world.publish(host, keeping: [], new: [.camera])
        world.settle()
        let stream = try #require(world.conference.streams.first?.id)
        let subscriber = try #require(world.join(.publishing))
        #expect(world.request(SubscribeRequest(stream: stream), subscriber) == nil)
        world.settle()
        let peer = try #require(world.media.subscriber(of: subscriber))
        var state = MediaState()
        state.streams = [MediaState.Stream(id: stream, hasMedia: true)]
        state.video[peer] = [
            .init(stream: stream, isPaused: true), .init(stream: StreamID(rawValue: "other"), isPaused: true),
        ]
        reconcile(world, state)
        #expect(!world.reports.contains(.videoPaused(subscriber, stream)))
        reconcile(world, state, video: [stream])
        #expect(world.reports.last == .videoPaused(subscriber, stream))
        state.video[peer] = [.init(stream: stream, isPaused: false)]
        reconcile(world, state, video: [stream])
        #expect(world.reports.last == .videoResumed(subscriber, stream))
    }
}
