import Signaling
import Testing

@testable import MillraceClient

@Suite("LIV-1 session model: live streams")
struct PushStateTests {
    private let cam = StreamID(rawValue: "cam"), live = PushID(rawValue: "live1")

    @Test("Start and end are each reported once, after the state has changed; a failure keeps the state")
    func events() {
        var model = SessionModel()
        _ = model.join(MachineBench.answer(streams: [MachineBench.stream("cam")]))
        for expected in [[SessionEvent.liveStarted(live, cam)], []] {
            #expect(model.apply(.liveStarted(PushStarted(id: live, stream: cam))) == expected)
            #expect(model.pushes == [live: cam])
        }
        let failure = PushFailed(id: live, stream: cam, reason: .connectionLost, detail: "lost", retryIn: 1)
        #expect(model.apply(.liveFailed(failure)) == [.liveFailed(failure)] && model.pushes == [live: cam])
        let end = PushStopped(id: live, stream: cam, reason: .stopped)
        #expect(model.apply(.liveStopped(end)) == [.liveStopped(end)] && model.pushes.isEmpty)
    }

    @Test("A join forgets the live streams of the former connection; the relay reports those that run")
    func joining() {
        var model = SessionModel()
        _ = model.join(MachineBench.answer(streams: [MachineBench.stream("cam")]))
        _ = model.apply(.liveStarted(PushStarted(id: live, stream: cam)))
        let again = ConnectionID(rawValue: "me again")
        _ = model.join(MachineBench.answer(connection: again, streams: [MachineBench.stream("cam")]))
        #expect(model.pushes.isEmpty)
        #expect(model.apply(.liveStarted(PushStarted(id: live, stream: cam))) == [.liveStarted(live, cam)])
    }
}
