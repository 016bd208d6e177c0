import Testing

@testable import Recording

struct DamageReportsTests {
    @Test("Damage is reported at once, and then at most once a minute, however often it occurs")
    func interval() {
        var reports = DamageReports()
        let seconds = (0..<130).filter { reports.isDue(UInt64($0), now: .seconds(Double($0))) }
        #expect(seconds == [1, 61, 121])
    }

    @Test("Damage that was reported is not reported again")
    func reported() {
        var reports = DamageReports()
        let due = [(5, 0.0), (5, 600), (6, 600)].map { reports.isDue(UInt64($0.0), now: .seconds($0.1)) }
        #expect(due == [true, false, true])
    }
}
