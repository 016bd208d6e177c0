import MediaBase

/// One line of a session's journal: what happened beside the media while streams of the session were recorded.
package struct JournalEntry: Codable, Sendable, Hashable {
    package enum Event: String, Codable, Sendable {
        /// A chat message to all users in the sender's location.
        case chat
        case subsessionsStarted
        case subsessionsStopped
        /// The journal of a recording begins. Nothing is known of the time since the entry before it.
        case recordingStarted
        /// Participants were in the session already when the recording started.
        case present
        case joined
        /// Participants left, were removed, or did not resume a lost connection within the grace time.
        case left
        /// A participant moved to a subsession, or back to the main session.
        case moved
    }

    /// Maximum number of participants of an entry.
    package static let maximumParticipants = 100
    /// Bytes of a line for other things than participants.
    private static let lineReserve = 1 << 10

    /// The relay's wall clock in milliseconds since 1970.
    package var time: Int64
    package var event: Event
    /// Sender of a chat message, or participant that moved.
    package var participant: RecordingSource.Participant?
    /// Participants that were present, joined or left.
    package var participants: [RecordingSource.Participant]?
    /// Name of the subsession that a chat message was sent in, or that a participant moved to; absent for the main session.
    package var subsession: String?
    /// Name of the subsession that a participant left by a move; absent for the main session.
    package var from: String?
    /// Text of a chat message.
    package var text: String?

    package init(
        time: Int64, event: Event, participant: RecordingSource.Participant? = nil,
        participants: [RecordingSource.Participant]? = nil, subsession: String? = nil, from: String? = nil,
        text: String? = nil
    ) {
        self.time = time
        self.event = event
        self.participant = participant
        self.participants = participants
        self.subsession = subsession
        self.from = from
        self.text = text
    }

    /// Returns entries of one event for any number of participants, each of which fits into a line.
    package static func entries(
        _ event: Event, of participants: [RecordingSource.Participant], time: Int64
    ) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        var part: [RecordingSource.Participant] = []
        var bytes = 0
        for participant in participants {
            let size = JournalFile.lineBytes(of: participant)
            if part.count == maximumParticipants || bytes + size > JournalFile.maximumLine - lineReserve, !part.isEmpty
            {
                entries.append(JournalEntry(time: time, event: event, participants: part))
                part = []
                bytes = 0
            }
            part.append(participant)
            bytes += size
        }
        if !part.isEmpty { entries.append(JournalEntry(time: time, event: event, participants: part)) }
        return entries
    }

    /// Returns its time on a timeline that begins at `zero`, a time since 1970; nil for a time that cannot be.
    func time(after zero: MediaTime) -> MediaTime? {
        let (nanoseconds, isTooLarge) = time.multipliedReportingOverflow(by: 1_000_000)
        let (difference, isTooFar) = nanoseconds.subtractingReportingOverflow(zero.rawValue)
        return isTooLarge || isTooFar ? nil : .nanoseconds(difference)
    }
}
