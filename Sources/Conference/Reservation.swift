package import MediaBase

/// Keeps a session that nobody has joined yet (SES-1: the admin API makes one ahead).
package struct Reservation: Hashable, Sendable {
    package var password: String?
    /// The session ends then, if still nobody has joined.
    package var expires: MediaTime

    package init(password: String? = nil, expires: MediaTime) {
        self.password = password
        self.expires = expires
    }
}
