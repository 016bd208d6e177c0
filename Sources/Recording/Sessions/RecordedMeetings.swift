import MediaBase

/// Decides when the recorded files of a session are complete, so that they can be composed. Files of a session that follow each other
/// without a long pause are a meeting. Reads no clock and no file.
struct RecordedMeetings {
    /// Files of a meeting.
    struct Meeting: Hashable {
        /// The engine's name of the session.
        var session: String
        /// Request for the first recording, in nanoseconds since 1970.
        var start: Int64
    }

    private struct Progress {
        var start: Int64
        /// Recordings that run or are being started.
        var running = 0
        var hasFiles = false
        var isStopped = false
        /// Time from which the meeting may be over; nil while a recording runs.
        var due: MediaTime?
    }

    /// Pause after the last recording in which a participant may come back, and is then in the same file.
    static let pause: MediaTime = .seconds(30)
    private var meetings: [String: Progress] = [:]

    var isEmpty: Bool { meetings.isEmpty }

    /// Notes a recording that is being started.
    ///
    /// - Parameter wallClock: nanoseconds since 1970.
    mutating func begin(_ session: String, wallClock: Int64) {
        var meeting = meetings[session] ?? Progress(start: wallClock)
        meeting.running += 1
        meeting.due = nil
        meeting.isStopped = false
        meetings[session] = meeting
    }

    /// Notes that a recording has started: there is something to compose.
    mutating func noteFile(of session: String) { meetings[session]?.hasFiles = true }

    /// Notes a recording that has ended or could not start.
    mutating func end(_ session: String, now: MediaTime) {
        guard var meeting = meetings[session] else { return }
        meeting.running -= 1
        if meeting.running <= 0 {
            guard meeting.hasFiles else {
                meetings[session] = nil
                return
            }
            meeting.due = meeting.isStopped ? now : now + Self.pause
        }
        meetings[session] = meeting
    }

    /// Ends the meeting with its last recording: a user has stopped the recording of the session, so no participant can come back into it.
    mutating func stop(_ session: String, now: MediaTime) {
        guard meetings[session] != nil else { return }
        meetings[session]?.isStopped = true
        if meetings[session]?.due != nil { meetings[session]?.due = now }
    }

    /// Removes and returns the meetings that are over. A session without recordings that is still in progress, and was not stopped, is
    /// looked at again after another pause.
    ///
    /// - Parameter inProgress: returns whether a session exists.
    mutating func takeDue(now: MediaTime, inProgress: (String) -> Bool) -> [Meeting] {
        var taken: [Meeting] = []
        for (session, meeting) in meetings {
            guard let due = meeting.due, due <= now else { continue }
            if !meeting.isStopped, inProgress(session) {
                meetings[session]?.due = now + Self.pause
            } else {
                taken.append(Meeting(session: session, start: meeting.start))
                meetings[session] = nil
            }
        }
        return taken.sorted { $0.start < $1.start }
    }

    /// Whether a meeting may be over.
    func isAnyDue(now: MediaTime) -> Bool { meetings.values.contains { $0.due.map { $0 <= now } ?? false } }

    /// Removes and returns all meetings with files, such as when the relay stops.
    mutating func takeAll() -> [Meeting] {
        defer { meetings = [:] }
        return meetings.filter(\.value.hasFiles).map { Meeting(session: $0.key, start: $0.value.start) }
            .sorted { $0.start < $1.start }
    }
}
