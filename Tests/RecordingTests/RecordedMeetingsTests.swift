import MediaBase
import Testing

@testable import Recording

@Suite("REC-2 End of a recorded session") struct RecordedMeetingsTests {
    private static let wallClock: Int64 = 1_785_585_600_000_000_000

    /// Returns the sessions that are over.
    private func over(_ meetings: inout RecordedMeetings, at time: Double, live: Set<String> = []) -> [String] {
        meetings.takeDue(now: .seconds(time)) { live.contains($0) }.map(\.session)
    }

    @Test("a session is over 30 s after its last recording, and a participant who comes back is in the same file")
    func pause() {
        var meetings = RecordedMeetings()
        meetings.begin("lobby", wallClock: Self.wallClock)
        meetings.noteFile(of: "lobby")
        meetings.begin("lobby", wallClock: Self.wallClock + 60_000_000_000)
        meetings.end("lobby", now: .seconds(100))
        #expect(over(&meetings, at: 1_000) == [])
        meetings.end("lobby", now: .seconds(1_000))
        #expect(over(&meetings, at: 1_029) == [])
        meetings.begin("lobby", wallClock: Self.wallClock + 1_029_000_000_000)
        #expect(over(&meetings, at: 2_000) == [])
        meetings.end("lobby", now: .seconds(2_000))
        let taken = meetings.takeDue(now: .seconds(2_030)) { _ in false }
        #expect(taken == [RecordedMeetings.Meeting(session: "lobby", start: Self.wallClock)])
        #expect(meetings.isEmpty && over(&meetings, at: 9_000) == [])
    }

    @Test("a session that still exists is waited for, and one that a user stops is not")
    func stop() {
        var meetings = RecordedMeetings()
        for session in ["a", "b"] {
            meetings.begin(session, wallClock: Self.wallClock)
            meetings.noteFile(of: session)
            meetings.end(session, now: .seconds(1))
        }
        #expect(over(&meetings, at: 31, live: ["a", "b"]) == [])
        meetings.stop("a", now: .seconds(40))
        #expect(over(&meetings, at: 40, live: ["a", "b"]) == ["a"])
        // Looked at again after each pause.
        #expect(over(&meetings, at: 60) == [] && over(&meetings, at: 61) == ["b"])

        meetings.begin("c", wallClock: Self.wallClock)
        meetings.noteFile(of: "c")
        meetings.stop("c", now: .seconds(100))
        #expect(over(&meetings, at: 1_000, live: ["c"]) == [])
        meetings.end("c", now: .seconds(1_000))
        #expect(over(&meetings, at: 1_000, live: ["c"]) == ["c"])
    }

    @Test("a recording that could not start leaves nothing to compose")
    func refused() {
        var meetings = RecordedMeetings()
        meetings.begin("lobby", wallClock: Self.wallClock)
        meetings.end("lobby", now: .seconds(1))
        #expect(meetings.isEmpty && meetings.takeAll() == [])
        // Unbalanced calls change nothing.
        meetings.end("lobby", now: .seconds(2))
        meetings.stop("lobby", now: .seconds(2))
        #expect(meetings.isEmpty && !meetings.isAnyDue(now: .never))
    }
}
