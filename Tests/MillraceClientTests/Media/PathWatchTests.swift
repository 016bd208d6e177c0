import MediaBase
import Testing

@testable import MillraceClient

@Suite("Path watch") struct PathWatchTests {
    @Test("CON-4 silence is reported repeatedly, the expiry of consent once (RFC 7675)") func silence() {
        var watch = PathWatch()
        #expect(watch.look(lastConsent: nil, now: .seconds(5)).isEmpty)
        #expect(watch.look(lastConsent: .seconds(10), now: .seconds(10)).isEmpty)
        #expect(watch.deadline == .seconds(22))
        var told: [(MediaTime, PathWatch.Change)] = []
        var now = MediaTime.seconds(10)
        while now < .seconds(60) {
            now = watch.deadline
            for change in watch.look(lastConsent: .seconds(10), now: now) { told.append((now, change)) }
        }
        #expect(told.filter { $0.1 == .silent }.map(\.0) == [22, 34, 46, 58, 70].map { .seconds($0) })
        #expect(told.filter { $0.1 == .expired }.map(\.0) == [.seconds(40)])
        #expect(watch.isExpired)
        #expect(watch.look(lastConsent: .seconds(70), now: .seconds(70)) == [.restored])
        #expect(watch.deadline == .seconds(82) && !watch.isExpired)
        #expect(watch.look(lastConsent: .seconds(75), now: .seconds(78)).isEmpty)
        #expect(watch.look(lastConsent: .seconds(75), now: .seconds(87)) == [.silent])
    }
}
