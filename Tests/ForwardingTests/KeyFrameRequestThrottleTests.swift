import Forwarding
import MediaBase
import Testing

@Suite("Key frame requests to one producer: at most one in 500 ms")
struct KeyFrameRequestThrottleTests {
    @Test func theFirstGoesOutAtOnce() {
        var throttle = KeyFrameRequestThrottle()
        #expect(throttle.deadline == nil)
        let before = throttle.take(now: .milliseconds(7))
        throttle.request()
        let first = throttle.take(now: .milliseconds(7))
        let second = throttle.take(now: .milliseconds(7))
        #expect(!before && first && !second)
    }

    @Test func whatComesInBetweenGoesOutAtTheEnd() {
        var throttle = KeyFrameRequestThrottle()
        throttle.request()
        var sent: [Int64] = []
        for now in 0..<3_000 as Range<Int64> {
            if now < 1_200 { throttle.request() }
            if throttle.take(now: .milliseconds(now)) { sent.append(now) }
        }
        #expect(sent == [0, 500, 1_000, 1_500])
        #expect(throttle.deadline == nil)
    }

    @Test func aKeyFrameAnswersWhatWaits() {
        var throttle = KeyFrameRequestThrottle()
        throttle.request()
        _ = throttle.take(now: .zero)
        throttle.request()
        #expect(throttle.deadline == .milliseconds(500))
        throttle.keyFrameArrived()
        #expect(throttle.deadline == nil)
        let later = throttle.take(now: .milliseconds(600))
        #expect(!later)
        // The interval runs from the last request that was sent, answered or not.
        throttle.request()
        let afterwards = throttle.take(now: .milliseconds(600))
        #expect(afterwards)
    }
}
