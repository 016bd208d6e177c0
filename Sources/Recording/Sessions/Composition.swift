/// File that the relay makes, or has made, of the recorded streams of a session.
package struct Composition: Sendable {
    package enum Phase: String, Sendable, Codable {
        /// Another session is composed first.
        case waiting
        case composing
        case composed
        /// Nothing was written; see `error`.
        case failed
    }

    package var session: String
    /// Folder of the session with the recorded files.
    package var folder: String
    /// Request for the first recording, in nanoseconds since 1970.
    package var start: Int64
    /// Path of the composed file.
    package var output: String
    package var phase: Phase = .waiting
    package var bytes: Int64 = 0
    /// Duration in seconds.
    package var duration = 0.0
    /// Recorded files that are missing in the composed file as a whole or in parts.
    package var warnings = 0
    package var error: String?

    /// Time by which the first frame of a file may precede the request for the recording: the relay keeps the latest key frame for some
    /// seconds, and a file begins with what its publisher gathered before (`RecordingTimeline.maximumGathered`).
    private static let lead: Int64 = 5_000_000_000 + RecordingTimeline.maximumGathered.rawValue

    /// No file of the meeting begins earlier, in nanoseconds since 1970.
    package var from: Int64 { start - Self.lead }

    init(_ meeting: RecordedMeetings.Meeting, folder: String) {
        session = meeting.session
        self.folder = folder
        start = meeting.start
        output = folder + "/session." + UTCTime(unixNanoseconds: meeting.start).basic + ".mkv"
    }
}
