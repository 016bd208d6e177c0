import MediaBase
import Testing

@testable import MediaEngine

@Suite("Feedback that comes a datagram at a time")
struct FeedbackRestTests {
    @Test("rests once it is dense, for as long as was said") func dense() {
        var rest = FeedbackRest(length: .milliseconds(1))
        rest.read(isFeedbackAlone: true, hasPublishers: true, now: .milliseconds(10))
        #expect(rest.end == nil)
        rest.read(isFeedbackAlone: true, hasPublishers: true, now: .microseconds(10_100))
        #expect(rest.end == .microseconds(11_100))
        rest.read(isFeedbackAlone: true, hasPublishers: true, now: .microseconds(11_150))
        #expect(rest.end == .microseconds(12_150))
    }

    @Test("rests longer where nobody publishes") func viewersAlone() {
        var rest = FeedbackRest(length: .milliseconds(1))
        for i in 0..<2 as Range<Int64> {
            rest.read(isFeedbackAlone: true, hasPublishers: false, now: .milliseconds(10 + i))
        }
        #expect(rest.end == .milliseconds(15))
    }

    @Test(
        "keeps no packet of a publisher's waiting for more than 1 ms, and none of anybody's for more than 4",
        arguments: [1, 5])
    func bound(gather: Int64) {
        for hasPublishers in [true, false] {
            var rest = FeedbackRest(length: .milliseconds(gather))
            for i in 0..<200 as Range<Int64> {
                let now = MediaTime.microseconds(10_000 + i * 300)
                rest.read(isFeedbackAlone: true, hasPublishers: hasPublishers, now: now)
                #expect((rest.end ?? now) - now <= .milliseconds(hasPublishers ? 1 : 4))
            }
            #expect(rest.end != nil)
            // Its packet ends the rest for those that follow it.
            rest.read(isFeedbackAlone: false, hasPublishers: hasPublishers, now: .milliseconds(100))
            #expect(rest.end == nil)
        }
    }

    @Test("does not where it is rare") func rare() {
        var rest = FeedbackRest(length: .milliseconds(1))
        for i in 1...20 as ClosedRange<Int64> {
            rest.read(isFeedbackAlone: true, hasPublishers: true, now: .milliseconds(i * 5))
            #expect(rest.end == nil)
        }
    }

    @Test("ends with any other datagram") func others() {
        var rest = FeedbackRest(length: .milliseconds(1))
        for i in 0..<4 as Range<Int64> {
            rest.read(isFeedbackAlone: true, hasPublishers: true, now: .microseconds(i * 100))
        }
        #expect(rest.end != nil)
        rest.read(isFeedbackAlone: false, hasPublishers: true, now: .microseconds(500))
        #expect(rest.end == nil)
        rest.read(isFeedbackAlone: true, hasPublishers: true, now: .microseconds(600))
        #expect(rest.end == nil)
    }

    @Test("never where nothing is gathered") func off() {
        var rest = FeedbackRest(length: .zero)
        for i in 0..<4 as Range<Int64> { rest.read(isFeedbackAlone: true, hasPublishers: true, now: .microseconds(i)) }
        #expect(rest.end == nil)
    }
}
