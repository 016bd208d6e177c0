import ArgumentParser

/// Limits on the resources that clients can use.
struct LimitOptions: ConfigurationOptionGroup {
    @Option(help: .key("limit.sessions")) var limitSessions: String?
    @Option(help: .key("limit.streams")) var limitStreams: String?
    @Option(help: .key("limit.transports")) var limitTransports: String?
    @Option(help: .key("limit.taps")) var limitTaps: String?
    @Option(help: .key("limit.canvasBytes")) var limitCanvasBytes: String?
    @Option(help: .key("limit.retransmissionBytes")) var limitRetransmissionBytes: String?
    @Option(help: .key("limit.retransmissionMilliseconds")) var limitRetransmissionMilliseconds: String?
    @Option(help: .key("limit.retransmissionPercent")) var limitRetransmissionPercent: String?
    @Option(help: .key("limit.publisherSeconds")) var limitPublisherSeconds: String?
    @Option(help: .key("limit.mailbox")) var limitMailbox: String?
    @Option(help: .key("limit.receiveBufferBytes")) var limitReceiveBufferBytes: String?
    @Option(help: .key("limit.sendBufferBytes")) var limitSendBufferBytes: String?
    @Option(help: .key("limit.unestablished")) var limitUnestablished: String?
    @Option(help: .key("limit.connectSeconds")) var limitConnectSeconds: String?
    @Option(help: .key("limit.consentSeconds")) var limitConsentSeconds: String?
    @Option(help: .key("limit.sdpBytes")) var limitSdpBytes: String?
    @Option(help: .key("limit.participants")) var limitParticipants: String?
    @Option(help: .key("limit.listedUsers")) var limitListedUsers: String?
    @Option(help: .key("limit.connections")) var limitConnections: String?
    @Option(help: .key("limit.subscriptions")) var limitSubscriptions: String?
    @Option(help: .key("limit.subsessions")) var limitSubsessions: String?
    @Option(help: .key("limit.movesPerSecond")) var limitMovesPerSecond: String?
    @Option(help: .key("limit.chatPerSecond")) var limitChatPerSecond: String?
    @Option(help: .key("limit.broadcastsPerSecond")) var limitBroadcastsPerSecond: String?
    @Option(help: .key("limit.messagesPerSecond")) var limitMessagesPerSecond: String?
    @Option(help: .key("limit.issueSeconds")) var limitIssueSeconds: String?
    @Option(help: .key("limit.unjoined")) var limitUnjoined: String?
    @Option(help: .key("limit.unjoinedPerAddress")) var limitUnjoinedPerAddress: String?
    @Option(help: .key("limit.participantsPerUser")) var limitParticipantsPerUser: String?
    @Option(help: .key("limit.participantsPerToken")) var limitParticipantsPerToken: String?
    @Option(help: .key("limit.participantsPerAddress")) var limitParticipantsPerAddress: String?
    @Option(help: .key("limit.transportsPerUser")) var limitTransportsPerUser: String?
    @Option(help: .key("limit.transportsPerToken")) var limitTransportsPerToken: String?
    @Option(help: .key("limit.transportsPerAddress")) var limitTransportsPerAddress: String?
    @Option(help: .key("limit.queuedBytesPerUser")) var limitQueuedBytesPerUser: String?
    @Option(help: .key("limit.queuedBytesPerToken")) var limitQueuedBytesPerToken: String?
    @Option(help: .key("limit.queuedBytesPerAddress")) var limitQueuedBytesPerAddress: String?
    @Option(help: .key("limit.wrongPasswords")) var limitWrongPasswords: String?
    @Option(help: .key("limit.wrongTokens")) var limitWrongTokens: String?
    @Option(help: .key("limit.unsentEvents")) var limitUnsentEvents: String?
    @Option(help: .key("limit.replayEvents")) var limitReplayEvents: String?
    @Option(help: .key("limit.mediaOrders")) var limitMediaOrders: String?
    @Option(help: .key("limit.userMessagesPerSecond")) var limitUserMessagesPerSecond: String?
    @Option(help: .key("limit.userRequestsPerSecond")) var limitUserRequestsPerSecond: String?
    @Option(help: .key("limit.userEntriesPerSecond")) var limitUserEntriesPerSecond: String?
    @Option(help: .key("limit.groupMembers")) var limitGroupMembers: String?
    @Option(help: .key("limit.groupsPerUser")) var limitGroupsPerUser: String?
    @Option(help: .key("limit.loginsPerUser")) var limitLoginsPerUser: String?

    var given: [String: String?] {
        [
            "limit.sessions": limitSessions,
            "limit.streams": limitStreams,
            "limit.transports": limitTransports,
            "limit.taps": limitTaps,
            "limit.canvasBytes": limitCanvasBytes,
            "limit.retransmissionBytes": limitRetransmissionBytes,
            "limit.retransmissionMilliseconds": limitRetransmissionMilliseconds,
            "limit.retransmissionPercent": limitRetransmissionPercent,
            "limit.publisherSeconds": limitPublisherSeconds,
            "limit.mailbox": limitMailbox,
            "limit.receiveBufferBytes": limitReceiveBufferBytes,
            "limit.sendBufferBytes": limitSendBufferBytes,
            "limit.unestablished": limitUnestablished,
            "limit.connectSeconds": limitConnectSeconds,
            "limit.consentSeconds": limitConsentSeconds,
            "limit.sdpBytes": limitSdpBytes,
            "limit.participants": limitParticipants,
            "limit.listedUsers": limitListedUsers,
            "limit.connections": limitConnections,
            "limit.subscriptions": limitSubscriptions,
            "limit.subsessions": limitSubsessions,
            "limit.movesPerSecond": limitMovesPerSecond,
            "limit.chatPerSecond": limitChatPerSecond,
            "limit.broadcastsPerSecond": limitBroadcastsPerSecond,
            "limit.messagesPerSecond": limitMessagesPerSecond,
            "limit.issueSeconds": limitIssueSeconds,
            "limit.unjoined": limitUnjoined,
            "limit.unjoinedPerAddress": limitUnjoinedPerAddress,
            "limit.participantsPerUser": limitParticipantsPerUser,
            "limit.participantsPerToken": limitParticipantsPerToken,
            "limit.participantsPerAddress": limitParticipantsPerAddress,
            "limit.transportsPerUser": limitTransportsPerUser,
            "limit.transportsPerToken": limitTransportsPerToken,
            "limit.transportsPerAddress": limitTransportsPerAddress,
            "limit.queuedBytesPerUser": limitQueuedBytesPerUser,
            "limit.queuedBytesPerToken": limitQueuedBytesPerToken,
            "limit.queuedBytesPerAddress": limitQueuedBytesPerAddress,
            "limit.wrongPasswords": limitWrongPasswords,
            "limit.wrongTokens": limitWrongTokens,
            "limit.unsentEvents": limitUnsentEvents,
            "limit.replayEvents": limitReplayEvents,
            "limit.mediaOrders": limitMediaOrders,
            "limit.userMessagesPerSecond": limitUserMessagesPerSecond,
            "limit.userRequestsPerSecond": limitUserRequestsPerSecond,
            "limit.userEntriesPerSecond": limitUserEntriesPerSecond,
            "limit.groupMembers": limitGroupMembers,
            "limit.groupsPerUser": limitGroupsPerUser,
            "limit.loginsPerUser": limitLoginsPerUser,
        ]
    }
}
