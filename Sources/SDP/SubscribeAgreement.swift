package import MediaBase

/// What a participant's answer to the relay's offer means for the media plane, in the order in which it is to be done.
package struct SubscribeAgreement: Sendable, Hashable {
    /// A track that the participant does not take.
    package struct Refusal: Sendable, Hashable {
        package var stream: String
        package var kind: MediaKind
    }

    /// Of the first answer: what to connect to.
    package internal(set) var connects: PeerDescription?
    /// Of the answer to an ICE restart: the participant's new credentials.
    package internal(set) var restarts: ICECredentials?
    /// Sections that the participant has stopped by itself.
    package internal(set) var removed: [MID] = []
    package internal(set) var added: [SubscriberTrack] = []
    package internal(set) var refused: [Refusal] = []
}
