/// Joins a session; the first join of a name creates it. After `passwordNeeded` or `passwordWrong` the client may try
/// again on the same connection.
public struct JoinRequest: RequestBody {
    public typealias Answer = JoinAnswer
    public static let method = "join"
    public static let permission: Permission = .token

    /// `SignalingProtocol.version` of the client.
    public var version: Int
    /// Name of the session, 1 to 150 characters, not case-sensitive.
    public var session: String
    /// Session token (JWT), if the WebSocket's request had none.
    public var token: String?
    /// Display name.
    public var name: String
    /// At most 10 printable ASCII characters. The first join sets it.
    public var password: String?
    /// Name and version of the client program, for logs and reports; at most 200 characters.
    public var client: String?
    /// Audio and video options; nil for unmuted streams and all subscribed media.
    public var media: JoinMedia?
    /// Whether every stream of the session must be encrypted end to end; nil for false. The first join decides, unless the session was created
    /// before by the operator.
    public var requiresEncryption: Bool?
    /// X25519 public key for the agreement on keys of end-to-end encryption: 32 bytes as base64. New for each join; nil if the client takes no
    /// part.
    public var e2eeKey: String?

    public init(
        version: Int = SignalingProtocol.version, session: String, token: String? = nil, name: String,
        password: String? = nil, client: String? = nil, media: JoinMedia? = nil,
        requiresEncryption: Bool? = nil, e2eeKey: String? = nil
    ) {
        self.version = version
        self.session = session
        self.token = token
        self.name = name
        self.password = password
        self.client = client
        self.media = media
        self.requiresEncryption = requiresEncryption
        self.e2eeKey = e2eeKey
    }

    /// Returns whether a text has the form of a public key: 32 bytes as base64 with padding.
    public static func isKey(_ text: String) -> Bool {
        let characters = text.utf8
        guard characters.count == 44, characters.last == UInt8(ascii: "=") else { return false }
        return characters.dropLast().allSatisfy {
            switch $0 {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
    }
}

/// State of a session at the time of joining. Events continue from there.
public struct JoinAnswer: Hashable, Sendable, Codable {
    public var session: SessionID
    /// In lower case.
    public var sessionName: String
    public var connection: ConnectionID
    /// Secret that resumes this connection after a loss.
    public var resumeToken: String
    /// Seconds that the relay keeps a lost connection.
    public var graceSeconds: Int
    public var capabilities: Capabilities
    /// The joining user itself and the first page of listed users, in order of joining. A small session has one page
    /// with all users.
    public var users: [UserInfo]
    /// Streams of the users on this page.
    public var streams: [StreamInfo]
    /// `after` of the `users` request for the next page; nil if there is none.
    public var nextPage: UInt64?
    /// Number of all users. If it is larger than the number of listed users, the others have neither stream nor role.
    public var userCount: Int
    /// Streams that are being recorded; empty if the relay does not report them.
    public var recordedStreams: [StreamID]
    /// Whether streams published from now on start muted.
    public var isMuteForced: Bool
    public var isShareLocked: Bool
    /// Whether chat is enabled; true if the relay does not report it.
    public var isChatAllowed: Bool
    /// Subsessions; none if the relay does not report them.
    public var subsessions: SubsessionsState
    /// STUN and TURN servers for peer connections.
    public var iceServers: [ICEServerInfo]
    /// Milliseconds between the client's pings. The relay treats a client as lost after three intervals without any
    /// message.
    public var pingInterval: Int
    /// Media transports that the client can choose from; nil, from a relay that does not report them, means WebRTC.
    public var transports: [MediaTransport]?
    /// Video codecs that the relay forwards (`VP8`, `H264`, `VP9`, `AV1`), in the order of its offers; nil, from a relay that does not report
    /// them, means VP8.
    public var videoCodecs: [String]?
    /// Whether every stream of the session must be encrypted end to end; publishing without encryption fails with `encryptionRequired`.
    public var requiresEncryption: Bool

    public init(
        session: SessionID, sessionName: String, connection: ConnectionID, resumeToken: String, graceSeconds: Int,
        capabilities: Capabilities, users: [UserInfo], streams: [StreamInfo], nextPage: UInt64? = nil,
        userCount: Int? = nil, recordedStreams: [StreamID] = [], isMuteForced: Bool, isShareLocked: Bool,
        isChatAllowed: Bool = true,
        subsessions: SubsessionsState = SubsessionsState(),
        iceServers: [ICEServerInfo] = [], pingInterval: Int = 10_000, transports: [MediaTransport]? = nil,
        videoCodecs: [String]? = nil, requiresEncryption: Bool = false
    ) {
        self.session = session
        self.sessionName = sessionName
        self.connection = connection
        self.resumeToken = resumeToken
        self.graceSeconds = graceSeconds
        self.capabilities = capabilities
        self.users = users
        self.streams = streams
        self.nextPage = nextPage
        self.userCount = userCount ?? users.count
        self.recordedStreams = recordedStreams
        self.isMuteForced = isMuteForced
        self.isShareLocked = isShareLocked
        self.isChatAllowed = isChatAllowed
        self.subsessions = subsessions
        self.iceServers = iceServers
        self.pingInterval = pingInterval
        self.transports = transports
        self.videoCodecs = videoCodecs
        self.requiresEncryption = requiresEncryption
    }

    /// Decodes answers of earlier relays, which lack newer members.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        session = try container.decode(SessionID.self, forKey: .session)
        sessionName = try container.decode(String.self, forKey: .sessionName)
        connection = try container.decode(ConnectionID.self, forKey: .connection)
        resumeToken = try container.decode(String.self, forKey: .resumeToken)
        graceSeconds = try container.decode(Int.self, forKey: .graceSeconds)
        capabilities = try container.decode(Capabilities.self, forKey: .capabilities)
        users = try container.decode([UserInfo].self, forKey: .users)
        streams = try container.decode([StreamInfo].self, forKey: .streams)
        nextPage = try container.decodeIfPresent(UInt64.self, forKey: .nextPage)
        userCount = try container.decodeIfPresent(Int.self, forKey: .userCount) ?? users.count
        recordedStreams = try container.decodeIfPresent([StreamID].self, forKey: .recordedStreams) ?? []
        isMuteForced = try container.decode(Bool.self, forKey: .isMuteForced)
        isShareLocked = try container.decode(Bool.self, forKey: .isShareLocked)
        isChatAllowed = try container.decodeIfPresent(Bool.self, forKey: .isChatAllowed) ?? true
        subsessions =
            try container.decodeIfPresent(SubsessionsState.self, forKey: .subsessions) ?? SubsessionsState()
        iceServers = try container.decode([ICEServerInfo].self, forKey: .iceServers)
        pingInterval = try container.decode(Int.self, forKey: .pingInterval)
        transports = try container.decodeIfPresent([MediaTransport].self, forKey: .transports)
        videoCodecs = try container.decodeIfPresent([String].self, forKey: .videoCodecs)
        requiresEncryption = try container.decodeIfPresent(Bool.self, forKey: .requiresEncryption) ?? false
    }

    public func encode(to encoder: any Encoder) throws {
        try WithoutUsers(answer: self).encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(users, forKey: .users)
    }

    /// All members except `users`, for a caller that encodes each user once for many answers.
    package struct WithoutUsers: Encodable {
        private let answer: JoinAnswer

        package init(answer: JoinAnswer) { self.answer = answer }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(answer.session, forKey: .session)
            try container.encode(answer.sessionName, forKey: .sessionName)
            try container.encode(answer.connection, forKey: .connection)
            try container.encode(answer.resumeToken, forKey: .resumeToken)
            try container.encode(answer.graceSeconds, forKey: .graceSeconds)
            try container.encode(answer.capabilities, forKey: .capabilities)
            try container.encode(answer.streams, forKey: .streams)
            try container.encodeIfPresent(answer.nextPage, forKey: .nextPage)
            try container.encode(answer.userCount, forKey: .userCount)
            try container.encode(answer.recordedStreams, forKey: .recordedStreams)
            try container.encode(answer.isMuteForced, forKey: .isMuteForced)
            try container.encode(answer.isShareLocked, forKey: .isShareLocked)
            try container.encode(answer.isChatAllowed, forKey: .isChatAllowed)
            try container.encode(answer.subsessions, forKey: .subsessions)
            try container.encode(answer.iceServers, forKey: .iceServers)
            try container.encode(answer.pingInterval, forKey: .pingInterval)
            try container.encodeIfPresent(answer.transports, forKey: .transports)
            try container.encodeIfPresent(answer.videoCodecs, forKey: .videoCodecs)
            try container.encode(answer.requiresEncryption, forKey: .requiresEncryption)
        }
    }

    private enum CodingKeys: String, CodingKey {
        case session
        case sessionName
        case connection
        case resumeToken
        case graceSeconds
        case capabilities
        case users
        case streams
        case nextPage
        case userCount
        case recordedStreams
        case isMuteForced
        case isShareLocked
        case isChatAllowed
        case subsessions
        case iceServers
        case pingInterval
        case transports
        case videoCodecs
        case requiresEncryption
    }
}

/// An ICE server, like `RTCIceServer` of browsers.
public struct ICEServerInfo: Hashable, Sendable, Codable {
    public var urls: [String]
    public var username: String?
    public var credential: String?

    public init(urls: [String], username: String? = nil, credential: String? = nil) {
        self.urls = urls
        self.username = username
        self.credential = credential
    }
}
