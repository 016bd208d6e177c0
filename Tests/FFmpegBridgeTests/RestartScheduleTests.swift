import FFmpegBridge
import MediaBase
import Testing

@Suite("LIV-2 Restarts of ffmpeg") struct RestartScheduleTests {
    @Test("LIV-2 the pause doubles from 1 s to 30 s while every run fails at once")
    func failures() {
        var schedule = RestartSchedule()
        var now = MediaTime.zero
        var pauses: [MediaTime] = []
        for _ in 0..<8 {
            schedule.started(now: now)
            let pause = schedule.ended(now: now)
            pauses.append(pause)
            now += pause
        }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30, 30].map { MediaTime.seconds($0) })
    }

    @Test("LIV-2 a run of 10 s makes the next pause 1 s again")
    func settled() {
        var schedule = RestartSchedule()
        for _ in 0..<5 {
            schedule.started(now: .zero)
            _ = schedule.ended(now: .zero)
        }
        schedule.started(now: .zero)
        #expect(schedule.ended(now: RestartSchedule.settledTime - .nanoseconds(1)) == .seconds(30))
        schedule.started(now: .zero)
        #expect(schedule.ended(now: RestartSchedule.settledTime) == .seconds(1))
        // Could not be started.
        #expect(schedule.ended(now: .seconds(60)) == .seconds(2))
    }
}
