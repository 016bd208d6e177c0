import Signaling
import Testing

@testable import MillraceClient

@Suite("Session model: recorded streams")
struct RecordingStateTests {
    private let cam = StreamID(rawValue: "cam"), screen = StreamID(rawValue: "screen")

    private func answer(recorded: [StreamID]) -> JoinAnswer {
        var answer = MachineBench.answer(streams: [MachineBench.stream("cam"), MachineBench.stream("screen")])
        answer.recordedStreams = recorded
        return answer
    }

    @Test("REC-1 a client that joins late, or joins again, receives the current recording state")
    func joining() {
        var model = SessionModel()
        let events = model.join(answer(recorded: [cam]))
        #expect(events.contains(.recordingStarted(cam)) && model.recordedStreams == [cam])
        #expect(Array(model.join(answer(recorded: [screen]))) == [.recordingStopped(cam), .recordingStarted(screen)])
        #expect(model.join(answer(recorded: [screen])) == [])
    }

    @Test("REC-1 start and end of a recording are each reported once, after the state has changed")
    func events() {
        var model = SessionModel()
        _ = model.join(answer(recorded: []))
        for expected in [[SessionEvent.recordingStarted(cam)], []] {
            #expect(model.apply(.recordingStarted(RecordingStarted(stream: cam))) == expected)
            #expect(model.recordedStreams == [cam])
        }
        for expected in [[SessionEvent.recordingStopped(cam)], []] {
            #expect(model.apply(.recordingStopped(RecordingStopped(stream: cam))) == expected)
            #expect(model.recordedStreams.isEmpty)
        }
    }
}
