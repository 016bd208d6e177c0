import MediaBase

/// One line of a session's journal: what happened beside the media while streams of the session were recorded.
package struct JournalEntry: Codable, Sendable, Hashable {
    package enum Event: String, Codable, Sendable {
        /// A chat message to all users in the sender's location.
        case chat
        case subsessionsStarted
        case subsessionsStopped
    }

    /// The relay's wall clock in milliseconds since 1970.
    package var time: Int64
    package var event: Event
    /// Sender of a chat message.
    package var participant: RecordingSource.Participant?
    /// Name of the subsession that a chat message was sent in; absent in the main session.
    package var subsession: String?
    /// Text of a chat message.
    package var text: String?

    package init(
        time: Int64, event: Event, participant: RecordingSource.Participant? = nil, subsession: String? = nil,
        text: String? = nil
    ) {
        self.time = time
        self.event = event
        self.participant = participant
        self.subsession = subsession
        self.text = text
    }

    /// Returns its time on a timeline that begins at `zero`, a time since 1970; nil for a time that cannot be.
    func time(after zero: MediaTime) -> MediaTime? {
        let (nanoseconds, isTooLarge) = time.multipliedReportingOverflow(by: 1_000_000)
        let (difference, isTooFar) = nanoseconds.subtractingReportingOverflow(zero.rawValue)
        return isTooLarge || isTooFar ? nil : .nanoseconds(difference)
    }
}
