package import MediaBase

/// Changes for the media plane that follow from a participant's answer to the relay's offer, in the order in which to apply them.
package struct SubscribeAgreement: Sendable, Hashable {
    /// A track that the participant refused.
    package struct Refusal: Sendable, Hashable {
        package var stream: String
        package var kind: MediaKind
    }

    /// Peer to connect to; set by the first answer.
    package internal(set) var connects: PeerDescription?
    /// The participant's new credentials; set by the answer to an ICE restart.
    package internal(set) var restarts: ICECredentials?
    /// Sections that the participant stopped on its own.
    package internal(set) var removed: [MID] = []
    package internal(set) var added: [SubscriberTrack] = []
    package internal(set) var refused: [Refusal] = []
}
