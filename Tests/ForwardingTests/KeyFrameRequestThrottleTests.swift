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

    @Test("A request that a first frame waits for is sent 160 ms after the last one, but early at most 4 times in 2 s")
    func awaited() {
        var throttle = KeyFrameRequestThrottle()
        var sent: [Int64] = []
        for now in 0..<4_000 as Range<Int64> {
            throttle.request(isAwaited: true)
            if throttle.take(now: .milliseconds(now)) { sent.append(now) }
        }
        #expect(sent == [0, 160, 320, 480, 640, 1_140, 1_640, 2_140, 2_300, 2_460, 2_620, 2_780, 3_280, 3_780])
    }

    @Test("A received key frame answers a request that a first frame waited for")
    func awaitedAnswered() {
        var throttle = KeyFrameRequestThrottle()
        throttle.request()
        _ = throttle.take(now: .zero)
        throttle.request(isAwaited: true)
        #expect(throttle.deadline == .milliseconds(160))
        throttle.keyFrameArrived()
        #expect(throttle.deadline == nil)
        // The next request is of a subscriber that already has frames.
        throttle.request()
        #expect(throttle.deadline == .milliseconds(500))
    }

    @Test("A request is ignored if others repeated it for 2 s without a key frame, and a pause begins a new series")
    func ignored() {
        var throttle = KeyFrameRequestThrottle()
        func sendIgnored(_ times: some Sequence<Int64>) -> [Int64] {
            times.filter {
                throttle.request()
                return throttle.take(now: .milliseconds($0)) && throttle.isIgnored
            }
        }
        #expect(sendIgnored(stride(from: 0 as Int64, through: 3_500, by: 500)) == [2_000, 2_500, 3_000, 3_500])
        throttle.keyFrameArrived()
        #expect(!throttle.isIgnored)
        #expect(sendIgnored([4_000, 5_900]) == [])
        // Without packets of the publisher there are no requests.
        #expect(sendIgnored([60_000, 61_000]) == [])
        #expect(sendIgnored([62_000]) == [62_000])
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
