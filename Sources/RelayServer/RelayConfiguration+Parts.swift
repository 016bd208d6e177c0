package import ControlServer
import MediaBase
import MediaEngine
import SRTP

extension RelayConfiguration {
    /// Configuration of the media engine.
    var engine: EngineConfiguration {
        var engine = EngineConfiguration()
        engine.workers = mediaWorkers
        engine.spreadLoad = mediaSpreadAbovePercent < 100 ? mediaSpreadAbovePercent * 10 : .max
        engine.bindAddress = mediaAddress
        engine.plainPort = UInt16(mediaPort)
        engine.gather = .microseconds(Int64(mediaGatherMicroseconds))
        engine.videoLatencyBudget = .microseconds(Int64(mediaLatencyBudgetMicroseconds))
        engine.audioLatencyBudget = .microseconds(Int64(mediaAudioLatencyBudgetMicroseconds))
        switch mediaProtection {
        case .automatic: engine.protection = .automatic
        case .evp: engine.protection = .evp
        case .multiBuffer: engine.protection = .multiBuffer
        }
        engine.offload = mediaOffload == .off ? .off : .automatic
        engine.rawEgress = mediaRawEgress == .off ? .off : .automatic
        engine.videoCodecs = forwardedCodecs
        engine.webRTC = webRTC
        engine.advertise(advertisedAddresses)
        engine.limits.sessions = limitSessions
        engine.limits.streamsPerSession = limitStreams
        engine.limits.transportsPerSession = limitTransports
        engine.limits.tapsPerStream = limitTaps
        engine.limits.retransmissionBytes = limitRetransmissionBytes
        engine.limits.retransmissionPercent = limitRetransmissionPercent
        engine.limits.publisherTimeout = .seconds(Double(limitPublisherSeconds))
        engine.limits.headersPerTrack = issuesPacketHeaders
        engine.limits.qualityPoints = qualitySeconds
        engine.limits.mailbox = limitMailbox
        engine.limits.receiveBufferBytes = limitReceiveBufferBytes
        engine.limits.sendBufferBytes = limitSendBufferBytes
        #if DEBUG
            engine.fault = fault
        #endif
        return engine
    }

    /// Codecs that are forwarded; all if the text is not valid, which the table of keys refuses.
    private var forwardedCodecs: [VideoCodec] { Self.codecs(in: videoCodecs) ?? VideoCodec.allCases }

    /// Returns the codecs of a list such as `vp8,h264`; nil if it is empty, or names an unknown codec or one codec twice.
    static func codecs(in text: String) -> [VideoCodec]? {
        let names = list(text)
        let codecs = names.compactMap { VideoCodec(rawValue: $0.uppercased()) }
        return codecs.isEmpty || codecs.count < names.count || Set(codecs).count < codecs.count ? nil : codecs
    }

    private var webRTC: WebRTCConfiguration {
        func bitrate(_ kilobits: Int) -> Bitrate { Bitrate(rawValue: Int64(kilobits) * 1_000) }
        var webRTC = WebRTCConfiguration()
        webRTC.port = UInt16(webRTCPort)
        webRTC.tcp = webRTCTCP
        webRTC.certificate = dtlsCertificate == .rsa ? .rsa : .ecdsa
        webRTC.minimumBitrate = bitrate(bandwidthMinimumKilobits)
        webRTC.startBitrate = bitrate(bandwidthStartKilobits)
        webRTC.maximumBitrate = bitrate(bandwidthMaximumKilobits)
        webRTC.loudestAudio = audioLoudest
        webRTC.unestablishedTransports = limitUnestablished
        webRTC.connectTimeout = .seconds(Double(limitConnectSeconds))
        webRTC.consentTimeout = .seconds(Double(limitConsentSeconds))
        return webRTC
    }

    /// Crash reports in their directory; nil if they go to standard error.
    var crashReports: CrashReports? {
        if !crashDirectory.isEmpty { return CrashReports(directory: crashDirectory) }
        return storageDirectory.isEmpty ? nil : CrashReports(directory: storageDirectory + "/crash")
    }

    /// Configuration of the HTTP endpoints.
    var control: ControlConfiguration {
        var control = ControlConfiguration()
        control.address = httpAddress
        control.port = httpPort
        control.headerBytes = httpHeaderBytes
        control.bodyBytes = httpBodyBytes
        control.sendTime = .seconds(httpSendSeconds)
        control.firstTime = .seconds(httpFirstRequestSeconds)
        control.idleTime = .seconds(httpIdleSeconds)
        control.origins = AllowedOrigins(Self.list(httpCORSOrigin)) ?? AllowedOrigins()
        control.sdpBytes = limitSDPBytes
        control.canvasBytes = limitCanvasBytes
        control.programmes.programmes = limitProgrammes
        control.programmes.readers = limitProgrammeReaders
        control.programmes.streams = limitProgrammeStreams
        control.hosts = Self.list(httpHosts)
        control.adminToken = adminToken.isEmpty ? nil : adminToken
        control.wrongTokensPerMinute = limitWrongTokens
        control.isDevelopment = development
        control.publishToken = whipToken.isEmpty ? nil : whipToken
        control.viewToken = whepToken.isEmpty ? nil : whepToken
        control.takesTokensInURLs = httpURLTokens
        control.iceServers = Self.list(iceServers).compactMap {
            ICEServer(url: $0, username: iceUsername, credential: iceCredential)
        }
        control.connect = connect
        if let reports = crashReports { control.crashReports = { reports.paths.count } }
        return control
    }

    /// Configuration of the control protocol.
    private var connect: ConnectConfiguration {
        var connect = ConnectConfiguration()
        connect.videoCodecs = forwardedCodecs
        connect.directory.sessions = limitSessions
        connect.directory.connections = limitConnections
        connect.conference.participants = limitParticipants
        connect.conference.listedUsers = limitListedUsers
        connect.conference.streams = limitStreams
        connect.conference.subscriptions = limitSubscriptions
        connect.conference.subsessions = limitSubsessions
        connect.conference.movesPerSecond = limitMovesPerSecond
        connect.conference.chatPerSecond = limitChatPerSecond
        connect.conference.broadcastsPerSecond = limitBroadcastsPerSecond
        connect.conference.visitingSubscribers = limitTransports
        connect.conference.pushes = limitLiveStreams
        connect.conference.policy.allowsPushHTTP = liveAllowHTTP
        connect.pushes.allowsPrivate = liveAllowPrivate
        connect.pushes.pushes = livePushes
        connect.conference.policy.promotion = rolePromotion
        connect.conference.policy.unmuteOthers = muteUnmuteOthers
        connect.conference.graceTime = .seconds(Double(connectGraceSeconds))
        connect.outbox.unsentEvents = limitUnsentEvents
        connect.outbox.replayEvents = limitReplayEvents
        connect.mediaOrders = limitMediaOrders
        connect.messagesPerSecond = limitMessagesPerSecond
        connect.wrongPasswordsPerMinute = limitWrongPasswords
        connect.issueInterval = .seconds(Double(limitIssueSeconds))
        connect.unjoined = limitUnjoined
        connect.unjoinedPerAddress = limitUnjoinedPerAddress
        setResources(of: &connect)
        connect.pingInterval = .seconds(connectPingSeconds)
        connect.joinTime = .seconds(connectJoinSeconds)
        connect.takesKeysOnLoopback = connectKeysOnLoopback
        connect.standardApp = appDirectory.standard
        return connect
    }

    /// Sets the limits of users, tokens and addresses.
    private func setResources(of connect: inout ConnectConfiguration) {
        connect.resources.user.participants = limitParticipantsPerUser
        connect.resources.token.participants = limitParticipantsPerToken
        connect.resources.address.participants = limitParticipantsPerAddress
        connect.resources.user.transports = limitTransportsPerUser
        connect.resources.token.transports = limitTransportsPerToken
        connect.resources.address.transports = limitTransportsPerAddress
        connect.resources.user.queuedBytes = limitQueuedBytesPerUser
        connect.resources.token.queuedBytes = limitQueuedBytesPerToken
        connect.resources.address.queuedBytes = limitQueuedBytesPerAddress
    }

    /// The tenants; with `development` also the built-in one.
    package var appDirectory: AppDirectory {
        var secrets = AppDirectory.secrets(in: apps) ?? [:]
        if development, secrets[AppDirectory.development] == nil {
            secrets[AppDirectory.development] = AppDirectory.developmentSecret
        }
        let own = AppDirectory.secrets(in: apps)?.keys.min()
        return AppDirectory(secrets: secrets, standard: appDefault.isEmpty ? own : appDefault)
    }

    var webhookLimits: WebhookQueue.Limits {
        var limits = WebhookQueue.Limits()
        limits.events = webhookQueue
        limits.patience = .seconds(Double(webhookRetrySeconds))
        return limits
    }
}
