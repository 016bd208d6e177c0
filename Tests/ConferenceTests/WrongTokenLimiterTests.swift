import Conference
import MediaBase
import Signaling
import Testing

@Suite struct WrongTokenLimiterTests {
    private func refusal(_ limiter: inout WrongTokenLimiter, _ address: String, _ seconds: Double) -> SignalingError? {
        do throws(SignalingError) {
            try limiter.check(address, now: .seconds(seconds))
            return nil
        } catch {
            return error
        }
    }

    @Test("An address with ten wrong tokens within a minute is refused for a minute; others are not")
    func refuses() {
        var limiter = WrongTokenLimiter()
        for number in 0..<9 { limiter.recordWrong("a", now: .seconds(Double(number) * 6)) }
        #expect(refusal(&limiter, "a", 54) == nil)
        limiter.recordWrong("a", now: .seconds(59))
        let error = refusal(&limiter, "a", 59)
        #expect(error?.code == .rateLimited && error?.limit == "limit.wrongTokens" && error?.retryAfter == 60)
        #expect(refusal(&limiter, "b", 59) == nil)
        #expect(refusal(&limiter, "a", 118.5)?.retryAfter == 1)
        #expect(refusal(&limiter, "a", 119) == nil)
        limiter.recordWrong("a", now: .seconds(119))
        #expect(refusal(&limiter, "a", 119) == nil)
    }

    @Test("Wrong tokens that are more than 6 seconds apart do not add up")
    func forgets() {
        var limiter = WrongTokenLimiter()
        for number in 0..<1_000 {
            limiter.recordWrong("a", now: .seconds(Double(number) * 6.7))
            #expect(refusal(&limiter, "a", Double(number) * 6.7) == nil)
        }
    }

    @Test("The number of remembered addresses is bounded, and refusals outlast a flood from other addresses")
    func bounded() {
        var limiter = WrongTokenLimiter(perMinute: 3, capacity: 100)
        for _ in 0..<3 { limiter.recordWrong("a", now: .seconds(1)) }
        for number in 0..<10_000 {
            limiter.recordWrong("other \(number)", now: .seconds(2))
            #expect(limiter.remembered <= 200)
        }
        #expect(refusal(&limiter, "a", 3) != nil)
        #expect(refusal(&limiter, "a", 200) == nil)
        #expect(limiter.remembered == 0)
    }
}
