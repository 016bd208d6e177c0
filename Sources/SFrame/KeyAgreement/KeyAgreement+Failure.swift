extension KeyAgreement {
    /// Reason for which participants do not agree on keys.
    package enum Failure: Hashable, Sendable {
        /// The relay shows the leader other participants, or other keys of them, than it shows this client.
        case membershipMismatch
        /// There are more participants than can agree on keys; a passphrase has no such limit.
        case tooManyParticipants
        /// No keys came for the present participants in time: the leader does not answer, or its messages are changed on the way.
        case noKeys
        /// The relay does not announce this client's public key.
        case unsupportedByRelay
    }
}
