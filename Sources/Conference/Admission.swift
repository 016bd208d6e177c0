package import Signaling

/// Request of a client to enter, from its token and its join request. The caller makes ids and secrets, because
/// randomness is IO.
package struct Admission: Hashable, Sendable {
    /// Id that has never been used before.
    package var connection: ConnectionID
    /// Token that resumes the connection after a loss; empty for publishers without signalling.
    package var resumeToken: String
    /// Display name as requested. The conference applies USR-2 to it.
    package var name: String
    /// `user_identity` of the token.
    package var identity: String?
    /// Connection data of the token.
    package var data: String?
    package var kind: UserInfo.Kind
    package var capabilities: Capabilities
    /// Hash of the token; nil without a token. An admission whose fingerprint was revoked is refused.
    package var token: TokenFingerprint?
    /// Password of the request, unchecked.
    package var password: String?
    /// The client has an administrator's token or a static token and needs no password.
    package var isTrusted: Bool
    /// Audio and video options of the client's join request.
    package var media: JoinMedia
    /// Whether the first join makes the session one in which every stream is encrypted end to end.
    package var requiresEncryption: Bool
    /// Public key of the client for the agreement on keys of end-to-end encryption.
    package var e2eeKey: String?

    package init(
        connection: ConnectionID, resumeToken: String = "", name: String, identity: String? = nil, data: String? = nil,
        kind: UserInfo.Kind = .client, capabilities: Capabilities, token: TokenFingerprint? = nil,
        password: String? = nil, isTrusted: Bool = false, media: JoinMedia = JoinMedia(),
        requiresEncryption: Bool = false, e2eeKey: String? = nil
    ) {
        self.connection = connection
        self.resumeToken = resumeToken
        self.name = name
        self.identity = identity
        self.data = data
        self.kind = kind
        self.capabilities = capabilities
        self.token = token
        self.password = password
        self.isTrusted = isTrusted
        self.media = media
        self.requiresEncryption = requiresEncryption
        self.e2eeKey = e2eeKey
    }
}
