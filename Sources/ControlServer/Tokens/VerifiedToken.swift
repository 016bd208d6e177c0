package import Conference
package import Signaling

/// Contents of a token after all checks (TOK-1, TOK-2).
package struct VerifiedToken: Hashable, Sendable {
    /// Key of the app that signed it.
    package var app: String
    /// Session that its bearer may enter, in lower case.
    package var session: String
    /// The application's own id of the user, at most 35 characters.
    package var identity: String?
    /// Connection data, at most 1,000 characters.
    package var data: String?
    package var capabilities: Capabilities
    /// Milliseconds since 1970.
    package var expiresAt: Int64
    /// Hash that identifies the token and cannot be used instead of it.
    package var fingerprint: String
    /// `jti` (RFC 7519 section 4.1.7): tokens of an app with the same id count as one.
    package var tokenID: String?
    /// Whether a session that begins with this token requires end-to-end encryption of every stream.
    package var requiresEncryption: Bool

    package init(
        app: String, session: String, identity: String? = nil, data: String? = nil, capabilities: Capabilities,
        expiresAt: Int64, fingerprint: String, tokenID: String? = nil,
        requiresEncryption: Bool = false
    ) {
        self.app = app
        self.session = session
        self.identity = identity
        self.data = data
        self.capabilities = capabilities
        self.expiresAt = expiresAt
        self.fingerprint = fingerprint
        self.tokenID = tokenID
        self.requiresEncryption = requiresEncryption
    }

    /// Returns the party for which the resources of its bearer are counted.
    ///
    /// - Parameter address: see `ClientAddress`.
    package func holder(address: String) -> ResourceHolder {
        ResourceHolder(
            token: tokenID.map { "\(app) \($0)" } ?? fingerprint, app: app, user: identity, address: address)
    }
}
