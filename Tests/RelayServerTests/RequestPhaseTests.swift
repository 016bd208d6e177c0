import Testing

@testable import ControlServer

@Suite("The timer of a connection")
struct RequestPhaseTests {
    @Test func aRequestIsTimedFromItsFirstByte() {
        var phase = RequestPhase()
        #expect(phase.timerExpired() == .close)
        #expect(phase.bytesArrived() == .sending)
        #expect(phase.bytesArrived() == .keep)
        #expect(phase.timerExpired() == .answerTimeout)
        #expect(phase.headArrived() == .keep)
        #expect(phase.timerExpired() == .answerTimeout)
        #expect(phase.requestEnded() == .stop)
        #expect(phase.timerExpired() == .ignore)
        phase.answerBegan()
        #expect(phase.answerEnded() == .idle)
        #expect(phase.timerExpired() == .close)
    }

    @Test func anAnswerThatHasBegunIsNotFollowedByAnother() {
        var phase = RequestPhase()
        _ = phase.bytesArrived()
        _ = phase.headArrived()
        phase.answerBegan()
        #expect(!phase.canAnswer)
        #expect(phase.timerExpired() == .close)
        #expect(phase.answerEnded() == .keep)
        #expect(phase.timerExpired() == .close)
        #expect(phase.requestEnded() == .idle)
        #expect(phase.canAnswer)
    }

    @Test func pipelinedRequestsAreTimedToo() {
        var phase = RequestPhase()
        _ = phase.bytesArrived()
        _ = phase.headArrived()
        #expect(phase.requestEnded() == .stop)
        #expect(phase.headArrived() == .sending)
        #expect(phase.timerExpired() == .close)
        phase.answerBegan()
        #expect(phase.answerEnded() == .keep)
        #expect(phase.timerExpired() == .answerTimeout)
        #expect(phase.requestEnded() == .stop)
        phase.answerBegan()
        #expect(phase.answerEnded() == .idle)
    }
}
