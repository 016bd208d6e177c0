import Signaling

/// Messages of every kind, with all optional fields and with none.
enum Samples {
    static let connection = ConnectionID(rawValue: "c-1")
    static let stream = StreamID(rawValue: "s-1")
    static let user = UserInfo(
        id: connection, name: "Ada \"🙂\" \\ \u{1}", identity: "id", data: "{}", kind: .publisher, role: .manager,
        audio: .on, video: .muted, share: .off, isConnected: false, joinedAt: .max, e2eeKey: "key")
    static let info = StreamInfo(
        id: stream, connection: connection, name: "camera", videoType: .screen, hasAudio: true, hasVideo: false,
        isAudioMuted: true, isVideoMuted: true, width: 1_280, height: 720, isDropped: true, createdAt: .min)

    static let subsession = SubsessionID(rawValue: "b-1")
    static let help = HelpRequestID(rawValue: "h-1")
    static let subsessions = SubsessionsState(
        status: .started,
        subsessions: [
            SubsessionInfo(id: subsession, name: "one", users: [connection]),
            SubsessionInfo(id: SubsessionID(rawValue: ""), name: "2"),
        ], isManager: true)

    static let requests: [any RequestBody] = [
        JoinRequest(session: "room", token: "t", name: "Ada", password: "p", client: "c"),
        JoinRequest(version: 9, session: "", name: "", requiresEncryption: true, e2eeKey: "key"),
        JoinRequest(
            session: "room", name: "Ada",
            media: JoinMedia(
                startsAudioMuted: true, startsVideoMuted: true, receivesAudio: false, receivesVideo: false,
                maximumWidth: 640, maximumHeight: 360)),
        ResumeRequest(resumeToken: "secret", lastEvent: .max),
        ResumeRequest(resumeToken: "secret", lastEvent: ResumeRequest.withoutState, snapshots: true, offer: 3),
        LeaveRequest(endForAll: true),
        UsersRequest(), UsersRequest(after: .max),
        PublishRequest(
            sdp: "v=0\r\n",
            streams: [
                PublishRequest.Stream(
                    id: stream, name: "n", videoType: .screen, audioMid: "0", videoMid: "1", width: 1, height: 2),
                PublishRequest.Stream(name: ""),
            ]),
        UnpublishRequest(stream: stream),
        UpdateStreamRequest(stream: stream, name: "n", width: 1, height: .max),
        UpdateStreamRequest(stream: stream), SubscribeRequest(stream: stream),
        SubscribeRequest(stream: stream, transport: .native),
        UpdateSubscriptionRequest(
            stream: stream,
            preferences: SubscriptionPreferences(
                audio: false, video: false, width: 1, height: 2, frameRate: 3, priority: .min)),
        UnsubscribeRequest(stream: stream), AnswerRequest(revision: 7, sdp: "v=0\r\n"),
        RestartICERequest(), SignalRequest(type: "t", data: "d", to: connection),
        SignalRequest(type: "t"), RenameRequest(user: connection, name: "n"),
        MuteUserRequest(user: connection, kind: .video),
        RequestUnmuteRequest(user: connection),
        SetMutedRequest(stream: stream, kind: .audio, isMuted: true),
        ForceMuteStreamRequest(stream: stream),
        ForceMuteAllRequest(excluding: [stream]), DisableForceMuteRequest(),
        MakeHostRequest(user: connection),
        SetManagerRequest(user: connection, isManager: false),
        RemoveUserRequest(user: connection), LockShareRequest(isLocked: true),
        SubsessionsRequest(), CommitSubsessionsRequest(names: ["one", "2"]),
        WithdrawSubsessionsRequest(), StartSubsessionsRequest(),
        StopSubsessionsRequest(), JoinSubsessionRequest(subsession: subsession),
        ReturnToMainSessionRequest(), BroadcastRequest(text: "five minutes"),
        RequestHelpRequest(), AnswerHelpRequest(request: help, isAccepted: true),
        ChatRequest(text: "t", to: connection), ChatRequest(text: "t"),
        ChatRequest(text: "t", to: connection, id: "7F"),
        SetChatAllowedRequest(isAllowed: false),
        StartPushRequest(to: "https://live.example/whip", token: "t", stream: stream),
        StartPushRequest(to: "https://live.example/whip", stream: stream),
        StopPushRequest(id: PushID(rawValue: "live1")),
        StatisticsRequest(), ReportIssueRequest(note: "n"),
        ReportIssueRequest(), PingRequest(),
    ]

    static let events: [Event] = [
        .userJoined(UserJoined(user: user)), .userChanged(UserChanged(user: user)),
        .userLeft(UserLeft(user: connection, reason: .networkLost)),
        .usersChanged(UsersChanged(count: 0)),
        .unmuteRequested(UnmuteRequested(from: connection, kind: .video, isUnmuted: true)),
        .usersChanged(
            UsersChanged(
                joined: [user], left: [UserLeft(user: connection, reason: .left)], unlisted: [connection], count: 10_000
            )),
        .userDropped(UserDropped(user: connection, isDropped: true)), .hostChanged(HostChanged(host: connection)),
        .hostChanged(HostChanged(host: nil)), .streamCreated(StreamCreated(stream: info)),
        .streamChanged(StreamChanged(stream: info)),
        .streamDestroyed(StreamDestroyed(stream: stream, reason: .forced)),
        .recordingStarted(RecordingStarted(stream: stream)), .recordingStopped(RecordingStopped(stream: stream)),
        .liveStarted(PushStarted(id: PushID(rawValue: "live1"), stream: stream)),
        .liveFailed(
            PushFailed(
                id: PushID(rawValue: "live1"), stream: stream, reason: .refused, detail: "status 503", retryIn: 2)),
        .liveFailed(
            PushFailed(id: PushID(rawValue: "live1"), stream: stream, reason: .addressRefused, detail: "private")),
        .liveStopped(PushStopped(id: PushID(rawValue: "live1"), stream: stream, reason: .failed)),
        .offer(
            OfferMade(
                revision: 2, sdp: "v=0\r\n",
                streams: [OfferMade.Stream(id: stream, audioMid: "0", videoMid: "1"), OfferMade.Stream(id: stream)])),
        .subscriptionChanged(SubscriptionChanged(stream: stream, state: .videoDisabled, reason: .quality)),
        .subscriptionChanged(SubscriptionChanged(stream: stream, state: .connected)),
        .signal(SignalReceived(from: connection, type: "t", data: "d")),
        .signal(SignalReceived(from: nil, type: "", data: "")),
        .muteForced(MuteForced(isActive: true, stream: stream, kind: .audio)),
        .muteForced(MuteForced(isActive: false)),
        .unmuteRequested(UnmuteRequested(from: connection, kind: .video)),
        .shareLockChanged(ShareLockChanged(isLocked: true)), .activeSpeaker(ActiveSpeaker(stream: stream)),
        .activeSpeaker(ActiveSpeaker(stream: nil)), .draining(Draining(seconds: 60, url: "wss://other")),
        .draining(Draining(seconds: 0)), .disconnected(Disconnected(reason: .removed, message: "m")),
        .disconnected(Disconnected(reason: .left)), .mediaReset(MediaReset(publish: true, subscribe: false)),
        .subsessionsChanged(SubsessionsChanged(change: .committed, state: subsessions)),
        .subsessionsChanged(SubsessionsChanged(change: .stopFailed, state: SubsessionsState())),
        .subsessionRoleChanged(SubsessionRoleChanged(isManager: true)),
        .subsessionUsersChanged(
            SubsessionUsersChanged(changes: [
                SubsessionMove(user: connection, to: subsession), SubsessionMove(user: connection, from: subsession),
            ])),
        .broadcast(BroadcastReceived(from: connection, text: "five minutes")),
        .helpRequested(
            HelpRequested(
                request: help, user: connection, userName: "Ada", subsession: subsession, subsessionName: "one")),
        .helpEnded(HelpEnded(request: help)), .helpResult(HelpResulted(request: help, result: .idle)),
        .chat(
            ChatReceived(
                message: ChatMessageID(rawValue: "m-1"), from: connection, to: connection, text: "t", time: .max,
                subsession: subsession)),
        .chat(ChatReceived(message: ChatMessageID(rawValue: "m-2"), from: connection, text: "t", time: 0)),
        .chatAllowedChanged(ChatAllowedChanged(isAllowed: true)),
    ]

    static let joinAnswer = JoinAnswer(
        session: SessionID(rawValue: "id"), sessionName: "room", connection: connection, resumeToken: "secret",
        graceSeconds: 30, capabilities: Capabilities(canPublish: true, canHost: true), users: [user], streams: [info],
        nextPage: 100, userCount: 10_000, recordedStreams: [stream], isMuteForced: true, isShareLocked: true,
        isChatAllowed: false, subsessions: subsessions,
        iceServers: [ICEServerInfo(urls: ["stun:host"], username: "u", credential: "c"), ICEServerInfo(urls: [])],
        pingInterval: 1, transports: [.native, .webRTC], videoCodecs: ["VP8", "AV1"])

    static let statistics = StatisticsAnswer(
        published: [
            StatisticsAnswer.Track(
                stream: stream, kind: .video, packets: .max, bytes: 0, lost: -1, bitrate: 1, jitter: 0.5,
                encoding: "h", temporalLayer: 2, isPaused: true, width: 1, height: 2)
        ],
        subscribed: [
            StatisticsAnswer.Track(stream: stream, kind: .audio, packets: 0, bytes: 0, lost: 0, bitrate: 0)
        ], availableBitrate: 1, roundTrip: 0.25)
}
