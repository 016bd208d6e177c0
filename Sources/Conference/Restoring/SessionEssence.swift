package import Signaling

/// State of a session's rules that survives the loss of its home relay, apart from its participants (`Seat`): what a host or an operator has
/// decided. Live state, such as streams and subscriptions, is not part of it, because clients establish it again.
package struct SessionEssence: Hashable, Sendable, Codable {
    package struct Subsession: Hashable, Sendable, Codable {
        package var id: SubsessionID
        package var name: String
    }

    /// Milliseconds since 1970.
    package var createdAt: Int64
    package var password: String?
    /// Whether no later client can set the password.
    package var isPasswordSettled: Bool
    package var requiresEncryption: Bool
    package var isMuteForced: Bool
    package var isShareLocked: Bool
    package var isChatAllowed: Bool
    package var subsessionStatus: SubsessionStatus
    package var subsessions: [Subsession]
    /// Number of subsessions so far: their ids are never used again.
    package var subsessionsMade: Int
    /// Tokens of removed participants, oldest first.
    package var revoked: [TokenFingerprint]
    /// Whether other relays have had media of the session; nil in states of earlier versions.
    package var isSpread: Bool?
}
