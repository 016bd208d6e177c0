import MediaBase
import Signaling
import Testing

@testable import ControlServer

@Suite("ISS-1 how often clients report")
struct ReportGuardTests {
    private func wait(_ reports: ReportGuard, _ client: String, at seconds: Double) -> Int? {
        do {
            try reports.admit(client, now: .seconds(seconds))
            return nil
        } catch {
            return error.code == .rateLimited ? error.retryAfter : -1
        }
    }

    @Test("each once in the interval; a refused one does not begin it anew")
    func interval() {
        let reports = ReportGuard(interval: .seconds(10))
        #expect(wait(reports, "ada", at: 100) == nil)
        #expect(wait(reports, "ada", at: 101) == 9)
        #expect(wait(reports, "bob", at: 101) == nil)
        #expect(wait(reports, "ada", at: 109) == 1)
        #expect(wait(reports, "ada", at: 110) == nil)
        #expect(wait(reports, "bob", at: 110) == 1)
    }

    @Test("no interval is no limit")
    func none() {
        let reports = ReportGuard(interval: .zero)
        #expect((0..<10).allSatisfy { _ in wait(reports, "ada", at: 100) == nil })
    }

    @Test("it remembers so many, first those who reported last")
    func bounded() {
        let reports = ReportGuard(interval: .seconds(10), capacity: 3)
        for (place, client) in ["a", "b", "c", "d"].enumerated() {
            #expect(wait(reports, client, at: 100 + Double(place)) == nil)
        }
        #expect(reports.remembered == 3)
        #expect(wait(reports, "b", at: 104) == 7)
        #expect(wait(reports, "a", at: 104) == nil)
        #expect(wait(reports, "d", at: 104) == 9)
        for number in 0..<100 { _ = wait(reports, "\(number)", at: 200) }
        #expect(reports.remembered == 3)
    }
}
