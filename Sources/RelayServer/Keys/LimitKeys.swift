/// Limits on the resources that clients can use.
package enum LimitKeys: ConfigurationSection {
    package static let title = "Limits"
    package static let keys: [ConfigurationKey] = [
        .integer("limit.sessions", \.limitSessions, 1...1_000_000, "sessions of the relay, on all workers"),
        .integer("limit.streams", \.limitStreams, 1...1_000_000, "streams per session"),
        .integer("limit.transports", \.limitTransports, 1...1_000_000, "transports per session"),
        .integer(
            "limit.taps", \.limitTaps, 1...256, "taps (readers of canvas and live streams, recordings) per stream"),
        .integer(
            "limit.programmes", \.limitProgrammes, 0...10_000,
            "programmes (live streams of whole sessions) at the same time; each mixes audio on a thread of its own"),
        .integer(
            "limit.programmeReaders", \.limitProgrammeReaders, 1...10_000, "readers of one session's programme"),
        .integer(
            "limit.programmeStreams", \.limitProgrammeStreams, 1...1_000,
            "streams of a session that its programme considers, in order of creation"),
        .integer(
            "limit.canvasBytes", \.limitCanvasBytes, (16 << 20)...(1 << 30),
            "memory of one canvas reader, in bytes; video frames that do not fit are dropped"),
        .integer(
            "limit.retransmissionBytes", \.limitRetransmissionBytes, (64 << 10)...(256 << 20),
            "bytes of packets kept per video track for retransmissions"),
        .integer(
            "limit.retransmissionPercent", \.limitRetransmissionPercent, 0...100,
            "maximum share of retransmissions in the sent bytes"),
        .integer(
            "limit.publisherSeconds", \.limitPublisherSeconds, 0...86_400,
            "time without packets after which a publisher is closed; 0: never"),
        .integer("limit.mailbox", \.limitMailbox, 16...1_000_000, "control calls that wait for one worker"),
        .integer(
            "limit.receiveBufferBytes", \.limitReceiveBufferBytes, (64 << 10)...(1 << 30),
            "kernel receive buffer per socket"),
        .integer(
            "limit.sendBufferBytes", \.limitSendBufferBytes, (64 << 10)...(1 << 30),
            """
            kernel send buffer per socket. Each port has one socket per network interface that leads to subscribers, \
            at most 8; if its buffer is full, packets for that interface are dropped
            """),
        .integer(
            "limit.unestablished", \.limitUnestablished, 1...1_000_000,
            "WebRTC transports that have not connected yet; beyond that the oldest is closed"),
        .integer("limit.connectSeconds", \.limitConnectSeconds, 1...600, "time in which a WebRTC peer must connect"),
        .integer(
            "limit.consentSeconds", \.limitConsentSeconds, 5...600,
            """
            time without an authentic packet (STUN, SRTP, SRTCP or DTLS) from the address that media is sent to, \
            after which a WebRTC transport is closed; the peer gets `close_notify`
            """),
        .integer("limit.sdpBytes", \.limitSDPBytes, 1_024...65_536, "largest SDP offer or fragment, in bytes"),
        .integer("limit.participants", \.limitParticipants, 1...1_000_000, "users per session").reloadable,
        .integer(
            "limit.listedUsers", \.limitListedUsers, 0...1_000_000,
            """
            size of a session from which users with neither stream nor role are counted, not listed \
            ([protocol.md](protocol.md#users-of-large-sessions)), until the size falls below half of the value; 0: \
            always
            """
        ).reloadable,
        .integer("limit.connections", \.limitConnections, 1...10_000_000, "clients of the control protocol"),
        .integer("limit.subscriptions", \.limitSubscriptions, 1...1_000, "subscriptions per user").reloadable,
        .integer("limit.subsessions", \.limitSubsessions, 1...1_000, "subsessions per session").reloadable,
        .integer(
            "limit.movesPerSecond", \.limitMovesPerSecond, 1...1_000_000,
            "moves of one user between subsessions per second; also the limit for requests of the list"
        ).reloadable,
        .integer("limit.chatPerSecond", \.limitChatPerSecond, 1...1_000_000, "chat messages of one user per second")
            .reloadable,
        .integer(
            "limit.broadcastsPerSecond", \.limitBroadcastsPerSecond, 1...1_000_000,
            "broadcasts of one manager to subsessions per second"
        ).reloadable,
        .integer(
            "limit.liveStreams", \.limitLiveStreams, 0...100,
            "live streams per session that are pushed to other servers; 0: none"
        ).reloadable,
        .integer(
            "limit.messagesPerSecond", \.limitMessagesPerSecond, 1...1_000_000,
            "messages of one client per second"
        ).reloadable,
        .integer("limit.issueSeconds", \.limitIssueSeconds, 0...86_400, "time between two reports of one client"),
        .integer("limit.unjoined", \.limitUnjoined, 1...1_000_000, "WebSockets that have not joined a session"),
        .integer(
            "limit.unjoinedPerAddress", \.limitUnjoinedPerAddress, 1...1_000_000,
            """
            WebSockets that have not joined a session, from one IPv4 address or IPv6 /64 network. Behind a proxy all \
            clients have the proxy's address: set the key to `limit.unjoined`
            """),
        .integer(
            "limit.participantsPerUser", \.limitParticipantsPerUser, 1...1_000_000,
            """
            participants of one user of an app, and connections that only log in. A user is the `user_identity` of a \
            token; tokens without one have no user
            """
        ).reloadable,
        .integer(
            "limit.participantsPerToken", \.limitParticipantsPerToken, 1...1_000_000,
            """
            participants of one token, and connections that only log in. A token is identified by its `jti`, or by a \
            hash of its text
            """
        ).reloadable,
        .integer(
            "limit.participantsPerAddress", \.limitParticipantsPerAddress, 1...1_000_000,
            """
            participants of one IPv4 address or IPv6 /64 network, and connections that only log in. Behind a proxy \
            all clients have the proxy's address: raise the limit
            """
        ).reloadable,
        .integer(
            "limit.transportsPerUser", \.limitTransportsPerUser, 1...1_000_000,
            "WebRTC, native and plain transports of one user of an app"
        ).reloadable,
        .integer(
            "limit.transportsPerToken", \.limitTransportsPerToken, 1...1_000_000,
            "WebRTC, native and plain transports of one token"
        ).reloadable,
        .integer(
            "limit.transportsPerAddress", \.limitTransportsPerAddress, 1...1_000_000,
            "WebRTC, native and plain transports of one IPv4 address or IPv6 /64 network"
        ).reloadable,
        .integer(
            "limit.queuedBytesPerUser", \.limitQueuedBytesPerUser, (1 << 20)...(1 << 40),
            "bytes queued for the clients of one user of an app"
        ).reloadable,
        .integer(
            "limit.queuedBytesPerToken", \.limitQueuedBytesPerToken, (1 << 20)...(1 << 40),
            "bytes queued for the clients of one token"
        ).reloadable,
        .integer(
            "limit.queuedBytesPerAddress", \.limitQueuedBytesPerAddress, (1 << 20)...(1 << 40),
            "bytes queued for the clients of one IPv4 address or IPv6 /64 network"
        ).reloadable,
        .integer(
            "limit.wrongPasswords", \.limitWrongPasswords, 1...1_000_000,
            """
            wrong passwords per minute of one token from one address for one session; 20 times as many for one \
            address
            """),
        .integer(
            "limit.wrongTokens", \.limitWrongTokens, 1...1_000_000,
            """
            wrong admin, WHIP and WHEP tokens per minute of one IPv4 address or IPv6 /64 network, after which it is \
            refused for a minute. Behind a proxy all clients have the proxy's address \
            ([admin.md](admin.md#behind-a-proxy))
            """),
        .integer(
            "limit.unsentEvents", \.limitUnsentEvents, 16...1_000_000,
            "events queued for a client that does not read; beyond that it is disconnected"),
        .integer("limit.replayEvents", \.limitReplayEvents, 0...1_000_000, "events kept for a client that resumes")
            .reloadable,
        .integer(
            "limit.mediaOrders", \.limitMediaOrders, 1...100_000,
            "subscriptions of one client that wait for the media engine"
        ).reloadable,
        .integer(
            "limit.userMessagesPerSecond", \.limitUserMessagesPerSecond, 1...1_000_000,
            "messages of one user in conversations per second"),
        .integer(
            "limit.userRequestsPerSecond", \.limitUserRequestsPerSecond, 1...1_000_000,
            "requests of one user about conversations per second"),
        .integer(
            "limit.userEntriesPerSecond", \.limitUserEntriesPerSecond, 1...1_000_000,
            "entries in users' lists that one user changes per second; ten times as many in a burst"),
        .integer("limit.groupMembers", \.limitGroupMembers, 2...500, "members per group"),
        .integer("limit.groupsPerUser", \.limitGroupsPerUser, 1...1_000_000, "groups created by a user"),
        .integer(
            "limit.loginsPerUser", \.limitLoginsPerUser, 1...10_000,
            "connections of one user to its conversations"),
    ]
}
