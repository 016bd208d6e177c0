import MediaBase
import Signaling
import Testing

@testable import ControlServer

@Suite("ISS-1 rate limit of reports")
struct ReportGuardTests {
    private func wait(_ reports: ReportGuard, _ client: String, at seconds: Double) -> Int? {
        do {
            try reports.admit(client, now: .seconds(seconds))
            return nil
        } catch {
            return error.code == .rateLimited ? error.retryAfter : -1
        }
    }

    @Test("a client may report once per interval; a refused report does not restart the interval")
    func interval() {
        let reports = ReportGuard(interval: .seconds(10))
        #expect(wait(reports, "ada", at: 100) == nil)
        #expect(wait(reports, "ada", at: 101) == 9)
        #expect(wait(reports, "bob", at: 101) == nil)
        #expect(wait(reports, "ada", at: 109) == 1)
        #expect(wait(reports, "ada", at: 110) == nil)
        #expect(wait(reports, "bob", at: 110) == 1)
    }

    @Test("an interval of zero means no limit")
    func none() {
        let reports = ReportGuard(interval: .zero)
        #expect((0..<10).allSatisfy { _ in wait(reports, "ada", at: 100) == nil })
    }

    @Test("the number of remembered clients is bounded, and the oldest report is forgotten first")
    func bounded() {
        let reports = ReportGuard(interval: .seconds(10), capacity: 3)
        for (number, client) in ["a", "b", "c", "d"].enumerated() {
            #expect(wait(reports, client, at: 100 + Double(number)) == nil)
        }
        #expect(reports.remembered == 3)
        #expect(wait(reports, "b", at: 104) == 7)
        #expect(wait(reports, "a", at: 104) == nil)
        #expect(wait(reports, "d", at: 104) == 9)
        for number in 0..<100 { _ = wait(reports, "\(number)", at: 200) }
        #expect(reports.remembered == 3)
    }
}
