package import MediaBase

/// Keeps a session that nobody has joined yet (SES-1: the admin API makes one ahead).
package struct Reservation: Hashable, Sendable {
    package var password: String?
    /// Whether every stream must be encrypted end to end.
    package var requiresEncryption: Bool
    /// The session ends then, if still nobody has joined.
    package var expires: MediaTime

    package init(password: String? = nil, requiresEncryption: Bool = false, expires: MediaTime) {
        self.password = password
        self.requiresEncryption = requiresEncryption
        self.expires = expires
    }
}
