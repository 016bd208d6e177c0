import Forwarding
import MediaBase
import Testing

@Suite("Key frame budget of one subscriber") struct KeyFrameBudgetTests {
    /// Requests a key frame every 100 ms; returns the times of the served requests, in milliseconds.
    private func served(
        _ budget: inout KeyFrameBudget, from: Int64 = 0, to end: Int64, starts: (Int64) -> UInt64 = { _ in 1 },
        isWaiting: (Int64) -> Bool = { _ in false }
    ) -> [Int64] {
        stride(from: from, to: end, by: 100).filter {
            let verdict = budget.judge(starts: starts($0), isWaiting: isWaiting($0), now: .milliseconds($0))
            return verdict == .served
        }
    }

    @Test("At most 3 requests in any 10 s are served while the video continues") func limit() {
        var budget = KeyFrameBudget()
        let times = served(&budget, to: 60_000)
        #expect(times == [0, 500, 1_000].flatMap { t in (0..<6).map { t + 10_000 * $0 } }.sorted())
        for time in times { #expect(times.count { $0 >= time && $0 < time + 10_000 } <= 3) }
    }

    @Test("Each new start of the video refills the budget") func newStarts() {
        var budget = KeyFrameBudget()
        let times = served(&budget, to: 6_000, starts: { $0 < 3_000 ? 1 : 2 })
        #expect(times == [0, 500, 1_000, 3_000, 3_500, 4_000])
    }

    @Test("A request is always served while nothing is sent before a key frame") func waiting() {
        var budget = KeyFrameBudget()
        _ = served(&budget, to: 2_000)
        #expect(served(&budget, from: 2_000, to: 4_000, isWaiting: { _ in true }).count == 20)
        #expect(served(&budget, from: 4_000, to: 6_000) == [])
    }
}
