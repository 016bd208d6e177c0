import ControlServer
import HTTPCalls
import Logging
import MediaBase

extension ConfigurationKey {
    private static let numericAddress: @Sendable (String) -> Bool = { SocketAddress($0, port: 0) != nil }
    private static let tokenText = "8 to 512 visible ASCII characters, or nothing"
    private static let adminTokenText = "16 to 512 visible ASCII characters, or nothing"

    private static let token: @Sendable (String) -> Bool = {
        $0.isEmpty || ((8...512).contains($0.utf8.count) && $0.utf8.allSatisfy { (33...126).contains($0) })
    }

    private static let adminToken: @Sendable (String) -> Bool = { token($0) && ($0.isEmpty || $0.utf8.count >= 16) }

    private static let originList: @Sendable (String) -> Bool = {
        AllowedOrigins(RelayConfiguration.list($0)) != nil
    }

    private static let addressList: @Sendable (String) -> Bool = {
        let list = RelayConfiguration.list($0)
        return list.count <= RelayConfiguration.advertisedLimit && list.allSatisfy(numericAddress)
            && Set(list).count == list.count
    }

    private static let hostList: @Sendable (String) -> Bool = {
        let list = RelayConfiguration.list($0)
        return list.count <= 64
            && list.allSatisfy { name in
                (1...253).contains(name.utf8.count)
                    && name.utf8.allSatisfy { (33...126).contains($0) && !":/[]@?#\\\"".utf8.contains($0) }
            }
    }

    private static let iceServerList: @Sendable (String) -> Bool = {
        let list = RelayConfiguration.list($0)
        return list.count <= 16 && list.allSatisfy { ICEServer(url: $0, username: "", credential: "") != nil }
    }

    /// Characters that a quoted string in a header field (RFC 9110 section 5.6.4) can have without escapes.
    private static let quotable: @Sendable (String) -> Bool = {
        $0.utf8.count <= 512 && $0.utf8.allSatisfy { (32...126).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }

    private static let webhookURL: @Sendable (String) -> Bool = { $0.isEmpty || HTTPTarget($0) != nil }

    private static let appsText =
        "key:secret with commas between them; keys of 1 to 64 letters, digits, dots, hyphens and underscores, "
        + "secrets of 32 to 512 visible ASCII characters"

    /// All keys, in the order of `--help` and `--print-config`.
    package static let all: [ConfigurationKey] = [
        .text(
            "http.address", \.httpAddress, allowed: "a numeric address",
            "address of the HTTP port; any but a loopback address needs TLS or insecure.http, and tokens",
            accepts: numericAddress),
        .flag(
            "insecure.http", \.insecureHTTP,
            "allows HTTP without TLS, or with dev, on an address that other hosts reach"),
        .integer("http.port", \.httpPort, 0...65_535, "TCP port of the HTTP endpoints; 0: any free one"),
        .integer("http.headerBytes", \.httpHeaderBytes, 1_024...(1 << 20), "largest request head, in bytes"),
        .integer("http.bodyBytes", \.httpBodyBytes, 1_024...(16 << 20), "largest request body, in bytes"),
        .integer("http.sendSeconds", \.httpSendSeconds, 1...600, "time that a client has to send one request"),
        .integer(
            "http.firstRequestSeconds", \.httpFirstRequestSeconds, 1...600,
            "time that a new connection has to begin its first request"),
        .integer("http.idleSeconds", \.httpIdleSeconds, 1...3_600, "time that an idle connection stays open"),
        .integer(
            "http.connections", \.httpConnections, 1...1_000_000,
            "open HTTP connections and WebSockets at a time, fewer if the limit of open files requires it"),
        .integer(
            "http.connectionsPerAddress", \.httpConnectionsPerAddress, 0...1_000_000,
            "open connections of one IPv4 address or IPv6 /64 network; 0: a quarter of all"),
        .text(
            "http.corsOrigin", \.httpCORSOrigin,
            allowed: "up to 64 origins such as https://app.example with commas between them, *, or nothing", list: true,
            "origins whose pages may call the relay, in addition to its own; * only for endpoints that require a token",
            accepts: originList),
        .text(
            "http.hosts", \.httpHosts, allowed: "up to 64 host names with commas between them, or nothing", list: true,
            "host names that requests may use if the relay requires no token, besides numeric addresses and localhost",
            accepts: hostList),
        .text(
            "http.tlsCertificate", \.httpTLSCertificate, allowed: "a PEM file, or nothing",
            "certificate of the HTTP port, followed by its chain; read again when it changes"),
        .text(
            "http.tlsKey", \.httpTLSKey, allowed: "a PEM file, or nothing", "private key of the HTTP port's certificate"
        ),
        .text(
            "admin.token", \.adminToken, allowed: adminTokenText, secret: true,
            "bearer token of /v1, and of /metrics if other hosts reach it", accepts: adminToken),
        .flag(
            "http.urlTokens", \.httpURLTokens,
            "also accepts WHIP and WHEP tokens in ?access_token=; proxies often log URLs"),
        .text(
            "whip.token", \.whipToken, allowed: tokenText, secret: true,
            "bearer token that every /whip request needs (publishing)", accepts: token),
        .text(
            "whep.token", \.whepToken, allowed: tokenText, secret: true,
            "bearer token that every /whep request needs (subscribing)", accepts: token),

        .text(
            "apps", \.apps, allowed: appsText, secret: true, list: true, "apps whose tokens open sessions",
            accepts: { AppDirectory.secrets(in: $0) != nil }),
        .text(
            "app.default", \.appDefault, allowed: "key of one of the apps, or nothing",
            "app of requests without a token (WHIP, WHEP, plain); by default the first by name",
            accepts: { $0.isEmpty || AppDirectory.isKey($0) }),
        .integer(
            "token.leewaySeconds", \.tokenLeewaySeconds, 0...300, "tolerated clock difference to token issuers"),
        .text(
            "webhook.url", \.webhookURL, allowed: "an http: or https: URL, or nothing",
            "URL that session events are sent to", accepts: webhookURL),
        .text(
            "webhook.secret", \.webhookSecret, allowed: tokenText, secret: true, "secret that signs session events",
            accepts: token),
        .integer("webhook.queue", \.webhookQueue, 1...1_000_000, "events that wait to be sent"),
        .integer("webhook.retrySeconds", \.webhookRetrySeconds, 0...604_800, "time from an event to its last attempt"),
        .integer("issues.count", \.issuesCount, 1...100_000, "reports of clients that are kept"),
        .integer("issues.bytes", \.issuesBytes, 1_024...(16 << 20), "largest report, in bytes"),
        .integer(
            "issues.packetHeaders", \.issuesPacketHeaders, 0...65_536,
            "headers of a video track's newest packets that are kept for reports (16 bytes each); half as many of audio"
        ),
        .text(
            "issues.directory", \.issuesDirectory, allowed: "a directory, or nothing",
            "directory of reports; by default they are kept in memory"),

        .text(
            "media.address", \.mediaAddress, allowed: "a numeric address", "address of the media sockets",
            accepts: numericAddress),
        .text(
            "media.advertised", \.mediaAdvertised, allowed: "up to 16 numeric addresses with commas between them",
            list: true,
            "addresses that clients are told to send to, the preferred one first; by default those of this host, loopback last",
            accepts: addressList),
        .integer(
            "media.port", \.mediaPort, 0...65_000, step: 2,
            "UDP port of worker 0, the next worker two higher; 0: free ones"),
        .integer("media.workers", \.mediaWorkers, 1...64, "threads that forward media"),
        .integer(
            "media.gatherMicroseconds", \.mediaGatherMicroseconds, 0...5_000, "longest wait for packets to share a send"
        ),
        .choice("media.protection", \.mediaProtection, "implementation that encrypts outgoing packets"),
        .choice("media.offload", \.mediaOffload, "UDP segmentation and coalescing by the kernel"),

        .integer(
            "webrtc.port", \.webRTCPort, 0...65_000,
            "UDP and TCP port of worker 0 for WebRTC, the next worker one higher; 0: free ones"),
        .flag("webrtc.tcp", \.webRTCTCP, "ICE over TCP as well, for networks that block UDP"),
        .choice("dtls.certificate", \.dtlsCertificate, "kind of key in the certificate of DTLS handshakes"),
        .text(
            "ice.servers", \.iceServers,
            allowed: "up to 16 stun:, stuns:, turn: and turns: URLs with commas between them",
            list: true, "STUN and TURN servers that WHIP and WHEP answers name", accepts: iceServerList),
        .text(
            "ice.username", \.iceUsername, allowed: "up to 512 printable ASCII characters but \" and \\",
            "user name for the TURN servers of ice.servers", accepts: quotable),
        .text(
            "ice.credential", \.iceCredential, allowed: "up to 512 printable ASCII characters but \" and \\",
            secret: true, "password for the TURN servers of ice.servers", accepts: quotable),
        .integer(
            "bandwidth.minimumKilobits", \.bandwidthMinimumKilobits, 10...1_000_000,
            "minimum of the bandwidth estimate of a subscriber's path"),
        .integer(
            "bandwidth.startKilobits", \.bandwidthStartKilobits, 10...1_000_000,
            "initial bandwidth estimate of a subscriber's path"),
        .integer(
            "bandwidth.maximumKilobits", \.bandwidthMaximumKilobits, 10...1_000_000,
            "maximum bit rate that is sent to a subscriber"),
        .integer(
            "audio.loudest", \.audioLoudest, 0...1_000,
            "loudest audio tracks of a session that are forwarded at a time; 0: all"
        ),

        .integer(
            "limit.sessions", \.limitSessions, 1...1_000_000, "sessions of the relay, on all workers together"),
        .integer("limit.streams", \.limitStreams, 1...1_000_000, "streams of one session"),
        .integer("limit.transports", \.limitTransports, 1...1_000_000, "transports of one session"),
        .integer("limit.taps", \.limitTaps, 1...256, "taps (canvas readers, recordings) of one stream"),
        .integer(
            "limit.canvasBytes", \.limitCanvasBytes, (16 << 20)...(1 << 30),
            "memory of one canvas reader, in bytes; larger video frames than fit are dropped"),
        .integer(
            "limit.retransmissionBytes", \.limitRetransmissionBytes, (64 << 10)...(256 << 20),
            "bytes of packets of a video track that are kept for retransmission"),
        .integer(
            "limit.retransmissionMilliseconds", \.limitRetransmissionMilliseconds, 0...30_000,
            "time that packets are kept for retransmission"),
        .integer(
            "limit.retransmissionPercent", \.limitRetransmissionPercent, 0...100,
            "maximum share of retransmissions in sent bytes"),
        .integer(
            "limit.publisherSeconds", \.limitPublisherSeconds, 0...86_400,
            "time without packets that closes a publisher; 0: never"),
        .integer("limit.mailbox", \.limitMailbox, 16...1_000_000, "control calls waiting for one worker"),
        .integer(
            "limit.receiveBufferBytes", \.limitReceiveBufferBytes, (64 << 10)...(1 << 30),
            "kernel receive buffer per socket"),
        .integer(
            "limit.sendBufferBytes", \.limitSendBufferBytes, (64 << 10)...(1 << 30), "kernel send buffer per socket"),
        .integer(
            "limit.unestablished", \.limitUnestablished, 1...1_000_000,
            "WebRTC transports that have not connected yet; beyond that the oldest is closed"),
        .integer(
            "limit.connectSeconds", \.limitConnectSeconds, 1...600, "time that a WebRTC peer has to become connected"),
        .integer(
            "limit.consentSeconds", \.limitConsentSeconds, 5...600,
            "time without a check by the peer that closes a WebRTC transport"),
        .integer("limit.sdpBytes", \.limitSDPBytes, 1_024...65_536, "largest SDP offer or fragment, in bytes"),
        .integer("limit.participants", \.limitParticipants, 1...1_000_000, "users of one session"),
        .integer(
            "limit.listedUsers", \.limitListedUsers, 0...1_000_000,
            "session size from which users with neither stream nor role are counted, not listed"),
        .integer("limit.connections", \.limitConnections, 1...10_000_000, "clients of the control protocol"),
        .integer("limit.subscriptions", \.limitSubscriptions, 1...1_000, "subscriptions of one user"),
        .integer("limit.subsessions", \.limitSubsessions, 1...1_000, "subsessions of one session"),
        .integer(
            "limit.movesPerSecond", \.limitMovesPerSecond, 1...1_000_000,
            "moves of one user between subsessions a second"),
        .integer("limit.chatPerSecond", \.limitChatPerSecond, 1...1_000_000, "chat messages of one user a second"),
        .integer(
            "limit.broadcastsPerSecond", \.limitBroadcastsPerSecond, 1...1_000_000,
            "broadcasts of one manager to subsessions a second"),
        .integer(
            "limit.messagesPerSecond", \.limitMessagesPerSecond, 1...1_000_000, "messages of one client a second"),
        .integer("limit.issueSeconds", \.limitIssueSeconds, 0...86_400, "time between two reports of one client"),
        .integer(
            "limit.unjoined", \.limitUnjoined, 1...1_000_000, "WebSockets that have not joined a session"),
        .integer(
            "limit.unjoinedPerAddress", \.limitUnjoinedPerAddress, 1...1_000_000,
            "WebSockets from one IPv4 address or IPv6 /64 network that have not joined a session"),
        .integer(
            "limit.participantsPerUser", \.limitParticipantsPerUser, 1...1_000_000,
            "participants of one user of an app, and connections that only log in"),
        .integer(
            "limit.participantsPerToken", \.limitParticipantsPerToken, 1...1_000_000,
            "participants of one token, and connections that only log in"),
        .integer(
            "limit.participantsPerAddress", \.limitParticipantsPerAddress, 1...1_000_000,
            "participants of one IPv4 address or IPv6 /64 network, and connections that only log in"),
        .integer(
            "limit.transportsPerUser", \.limitTransportsPerUser, 1...1_000_000,
            "WebRTC, native and plain transports of one user of an app"),
        .integer(
            "limit.transportsPerToken", \.limitTransportsPerToken, 1...1_000_000,
            "WebRTC, native and plain transports of one token"),
        .integer(
            "limit.transportsPerAddress", \.limitTransportsPerAddress, 1...1_000_000,
            "WebRTC, native and plain transports of one IPv4 address or IPv6 /64 network"),
        .integer(
            "limit.queuedBytesPerUser", \.limitQueuedBytesPerUser, (1 << 20)...(1 << 40),
            "unsent bytes that are queued for clients of one user of an app"),
        .integer(
            "limit.queuedBytesPerToken", \.limitQueuedBytesPerToken, (1 << 20)...(1 << 40),
            "unsent bytes that are queued for clients of one token"),
        .integer(
            "limit.queuedBytesPerAddress", \.limitQueuedBytesPerAddress, (1 << 20)...(1 << 40),
            "unsent bytes that are queued for clients of one IPv4 address or IPv6 /64 network"),
        .integer(
            "limit.wrongPasswords", \.limitWrongPasswords, 1...1_000_000,
            "wrong passwords of one token from one address for one session a minute; of one address, 20 times as many"),
        .integer(
            "limit.wrongTokens", \.limitWrongTokens, 1...1_000_000,
            "wrong admin, WHIP and WHEP tokens of one address a minute, after which it is refused for a minute"),
        .integer(
            "limit.unsentEvents", \.limitUnsentEvents, 16...1_000_000,
            "unsent events of one client; beyond that it is disconnected"),
        .integer(
            "limit.replayEvents", \.limitReplayEvents, 0...1_000_000,
            "sent events that are kept for a client that resumes"),
        .integer(
            "limit.mediaOrders", \.limitMediaOrders, 1...100_000,
            "subscriptions of one client that wait for the media engine at a time"),
        .integer(
            "limit.userMessagesPerSecond", \.limitUserMessagesPerSecond, 1...1_000_000,
            "messages in conversations of one user a second"),
        .integer(
            "limit.userRequestsPerSecond", \.limitUserRequestsPerSecond, 1...1_000_000,
            "requests about conversations of one user a second"),
        .integer(
            "limit.userEntriesPerSecond", \.limitUserEntriesPerSecond, 1...1_000_000,
            "entries of users' lists that one user may change a second; ten times as many at once"),
        .integer("limit.groupMembers", \.limitGroupMembers, 2...500, "members of one group"),
        .integer("limit.groupsPerUser", \.limitGroupsPerUser, 1...1_000_000, "groups that one user created"),
        .integer(
            "limit.loginsPerUser", \.limitLoginsPerUser, 1...10_000, "connections of one user to its conversations"),
        .choice("role.promotion", \.rolePromotion, "users that the host may make host or manager"),
        .choice(
            "mute.unmuteOthers", \.muteUnmuteOthers,
            "whether a moderator's request to unmute a user asks the user or unmutes at once"),
        .integer("connect.graceSeconds", \.connectGraceSeconds, 0...3_600, "time in which a lost client can resume"),
        .integer(
            "connect.pingSeconds", \.connectPingSeconds, 1...600,
            "time without a message after which a client is pinged; after three times that it is lost"),
        .integer("connect.joinSeconds", \.connectJoinSeconds, 1...3_600, "time that a WebSocket has to join a session"),
        .flag(
            "connect.keysOnLoopback", \.connectKeysOnLoopback,
            "native media without TLS for clients on this host; off if a proxy on it accepts connections without TLS"),

        .text(
            "storage.directory", \.storageDirectory, allowed: "a directory, or nothing",
            "directory of the database of conversations; by default there are none"),
        .integer(
            "storage.maximumMegabytes", \.storageMaximumMegabytes, 0...1_000_000_000,
            "largest size of the database, in MiB; 0: as large as the disk"),
        .flag("storage.checkAtStart", \.storageCheckAtStart, "checks the whole database at the start"),
        .flag("storage.required", \.storageRequired, "does not start if the database cannot be opened"),
        .integer(
            "messages.retentionDays", \.messagesRetentionDays, 0...36_500, "days that messages are kept; 0: forever"),
        .text("record", \.record, allowed: "a directory, or nothing", "records every stream into this directory"),
        .text(
            "recording.directory", \.recordingDirectory, allowed: "a directory, or nothing",
            "directory of recordings that are started by HTTP; by default that of record"),
        .integer(
            "drain.seconds", \.drainSeconds, 0...3_600, "time that clients have to leave after the shutdown signal"),
        .integer(
            "drain.minimumSeconds", \.drainMinimumSeconds, 0...60,
            "minimum time from the shutdown signal to the close of the HTTP port"),
        .text(
            "crash.directory", \.crashDirectory, allowed: "a directory, or nothing",
            "directory of crash reports; by default crash in storage.directory, and without that standard error"),
        .text(
            "log.level", \.logLevel, allowed: Logger.Level.allCases.map(\.rawValue).joined(separator: ", "),
            "lowest level of messages that are logged", accepts: { Logger.Level(rawValue: $0) != nil }),
        .choice("log.format", \.logFormat, "format of log lines on standard error"),
        .flag("dev", \.development, "adds an app \"dev\", issues its tokens to anyone, prints URLs and commands"),
    ]
}
