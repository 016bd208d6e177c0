package import Signaling

/// A client that wants in, as its token and its join request say. Ids and secrets are made outside: randomness is IO.
package struct Admission: Hashable, Sendable {
    /// New, never used before.
    package var connection: ConnectionID
    /// Takes the connection up again after a loss; empty for publishers without signalling.
    package var resumeToken: String
    /// Display name as given (USR-2 is applied here).
    package var name: String
    /// `user_identity` of the token.
    package var identity: String?
    /// Connection data of the token.
    package var data: String?
    package var kind: UserInfo.Kind
    package var capabilities: Capabilities
    /// Hash of the token; nil where none was used. Users with a fingerprint that was removed do not come back.
    package var token: TokenFingerprint?
    /// As in the request.
    package var password: String?
    /// The operator vouches for it (an administrator's or a static token): passwords are not asked for.
    package var isTrusted: Bool
    /// Audio and video options of the client's join request.
    package var media: JoinMedia
    /// Whether the first join makes the session one in which every stream is encrypted end to end.
    package var requiresEncryption: Bool

    package init(
        connection: ConnectionID, resumeToken: String = "", name: String, identity: String? = nil, data: String? = nil,
        kind: UserInfo.Kind = .client, capabilities: Capabilities, token: TokenFingerprint? = nil,
        password: String? = nil, isTrusted: Bool = false, media: JoinMedia = JoinMedia(),
        requiresEncryption: Bool = false
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
    }
}
