import MediaBase
import Testing

@testable import MediaEngine

@Suite("Schedule of housekeeping")
struct HousekeepingScheduleTests {
    private func sessions(_ count: Int) -> [String: EngineSession] {
        var sessions: [String: EngineSession] = [:]
        for i in 0..<count {
            let name = "\(1_000 + i)"
            sessions[name] = EngineSession(name: name, loudest: 0)
            sessions[name]?.visitDue = .never
        }
        return sessions
    }

    @Test("The first round visits all sessions once, 256 per slice and 1 ms apart") func slices() {
        var schedule = HousekeepingSchedule()
        let all = sessions(600)
        var visited: [[String]] = []
        var now = MediaTime.seconds(1)
        for _ in 0..<3 {
            visited.append(schedule.takeSlice(of: all, isSorted: true, now: now).map(\.name))
            schedule.finish(all, now: now)
            if visited.count < 3 { #expect(schedule.next == now + .milliseconds(1)) }
            now = schedule.next
        }
        #expect(visited.map(\.count) == [256, 256, 88] && Set(visited.joined()).count == 600)
        #expect(schedule.next == .never)
    }

    @Test("Later rounds visit only sessions that are due, at most every 100 ms, and all after a control call")
    func dueSessions() {
        var schedule = HousekeepingSchedule()
        let all = sessions(3)
        _ = schedule.takeSlice(of: all, isSorted: true, now: .seconds(1))
        schedule.finish(all, now: .seconds(1))
        schedule.visitSoon(all["1001"]!, now: .seconds(1))
        #expect(schedule.next == .milliseconds(1_100))
        let due = schedule.takeSlice(of: all, isSorted: true, now: .milliseconds(1_100)).map(\.name)
        #expect(due == ["1001"])
        all["1001"]?.visitDue = .seconds(5)
        schedule.finish(all, now: .milliseconds(1_100))
        #expect(schedule.next == .seconds(5))
        schedule.visitAll()
        #expect(schedule.next == .milliseconds(1_200))
        let whole = schedule.takeSlice(of: all, isSorted: true, now: .milliseconds(1_200)).map(\.name)
        #expect(whole.count == 3)
    }
}
