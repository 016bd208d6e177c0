package import Conference
package import Signaling

/// Event that the application's server receives.
package struct WebhookEvent: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case sessionStarted
        case sessionEnded
        case participantJoined
        case participantLeft
        case streamPublished
        case streamUnpublished
        case recordingStarted
        case recordingFinished
        case recordingSuspended
        case recordingResumed
        case recordingComposed
        case liveStarted
        case liveFailed
        case liveStopped
    }

    package struct Recording: Hashable, Sendable, Codable {
        /// Nil for the composed file of a session.
        package var stream: String?
        /// Paths on the relay's host.
        package var files: [String]
        package var bytes: Int64
        /// Error of a failed recording; nil if it did not fail.
        package var error: String?

        package init(stream: String? = nil, files: [String] = [], bytes: Int64 = 0, error: String? = nil) {
            self.stream = stream
            self.files = files
            self.bytes = bytes
            self.error = error
        }
    }

    package struct Push: Hashable, Sendable, Codable {
        package var id: PushID
        /// Nil: the programme of the session.
        package var stream: StreamID?
        /// Description of a failure, and seconds until the next try.
        package var detail: String?
        package var retryIn: Int?

        package init(id: PushID, stream: StreamID?, detail: String? = nil, retryIn: Int? = nil) {
            self.id = id
            self.stream = stream
            self.detail = detail
            self.retryIn = retryIn
        }
    }

    package var kind: Kind
    package var session: SessionKey
    /// Nil for a session that exists only in the media engine.
    package var sessionID: SessionID?
    /// Milliseconds since 1970.
    package var time: Int64
    package var participant: UserInfo?
    package var stream: StreamInfo?
    package var recording: Recording?
    package var live: Push?
    /// Reason for the end or failure: a `DisconnectReason`, `StreamEndReason`, `PushFailureReason` or `PushEndReason`.
    package var reason: String?

    package init(
        _ kind: Kind, session: SessionKey, sessionID: SessionID? = nil, time: Int64, participant: UserInfo? = nil,
        stream: StreamInfo? = nil, recording: Recording? = nil, reason: String? = nil
    ) {
        self.kind = kind
        self.session = session
        self.sessionID = sessionID
        self.time = time
        self.participant = participant
        self.stream = stream
        self.recording = recording
        self.reason = reason
    }
}
