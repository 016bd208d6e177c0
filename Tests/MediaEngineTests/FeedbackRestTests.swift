import MediaBase
import Testing

@testable import MediaEngine

@Suite("Feedback that arrives one datagram at a time")
struct FeedbackRestTests {
    @Test("Pauses once feedback is dense, for the configured time") func dense() {
        var rest = FeedbackRest(length: .milliseconds(1))
        rest.read(isFeedbackAlone: true, hasPublishers: true, now: .milliseconds(10))
        #expect(rest.end == nil)
        rest.read(isFeedbackAlone: true, hasPublishers: true, now: .microseconds(10_100))
        #expect(rest.end == .microseconds(11_100))
        rest.read(isFeedbackAlone: true, hasPublishers: true, now: .microseconds(11_150))
        #expect(rest.end == .microseconds(12_150))
    }

    @Test("Pauses longer if the worker has no publishers") func subscribersAlone() {
        var rest = FeedbackRest(length: .milliseconds(1))
        for i in 0..<2 as Range<Int64> {
            rest.read(isFeedbackAlone: true, hasPublishers: false, now: .milliseconds(10 + i))
        }
        #expect(rest.end == .milliseconds(15))
    }

    @Test(
        "Delays a publisher's packets by at most 1 ms, and all others by at most 4 ms",
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
            // A publisher's packet ends the pause for the packets after it.
            rest.read(isFeedbackAlone: false, hasPublishers: hasPublishers, now: .milliseconds(100))
            #expect(rest.end == nil)
        }
    }

    @Test("Does not pause if feedback is rare") func rare() {
        var rest = FeedbackRest(length: .milliseconds(1))
        for i in 1...20 as ClosedRange<Int64> {
            rest.read(isFeedbackAlone: true, hasPublishers: true, now: .milliseconds(i * 5))
            #expect(rest.end == nil)
        }
    }

    @Test("Ends with any other datagram") func others() {
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

    @Test("Never pauses if gathering is off") func off() {
        var rest = FeedbackRest(length: .zero)
        for i in 0..<4 as Range<Int64> { rest.read(isFeedbackAlone: true, hasPublishers: true, now: .microseconds(i)) }
        #expect(rest.end == nil)
    }
}
