package import MediaBase

/// Keeps a session that no client has joined and no publisher without signalling has published in yet, such as one made by the admin API
/// (SES-1).
package struct Reservation: Hashable, Sendable {
    package var password: String?
    /// Whether every stream must be encrypted end to end.
    package var requiresEncryption: Bool
    /// Time when the session ends if no participant has joined.
    package var expires: MediaTime

    package init(password: String? = nil, requiresEncryption: Bool = false, expires: MediaTime) {
        self.password = password
        self.requiresEncryption = requiresEncryption
        self.expires = expires
    }
}
