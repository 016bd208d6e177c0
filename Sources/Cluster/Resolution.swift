package import MediaBase
package import Signaling

/// Answer to the question which relay runs a session.
package enum Resolution: Hashable, Sendable {
    /// This relay, under this id.
    case here(SessionID)
    /// Another relay, which is alive.
    case there(RelayRecord)
    /// None can be named now; a client may ask again after this time.
    case unavailable(retryAfter: MediaTime, Unavailability)
    /// No session has the id.
    case unknown

    package enum Unavailability: String, Hashable, Sendable {
        /// The relay is not a member of the cluster yet, or no longer.
        case notMember
        /// The store does not answer.
        case storeUnreachable
        /// The home relay does not answer, and its lease has not ended, or too few relays are alive for a take-over.
        case homeLost
        /// This relay is the home relay, but cannot confirm it.
        case unconfirmed
        /// Too many clients wait.
        case tooMany
    }
}
