import ArgumentParser
import Foundation
import RelayServer

extension ArgumentHelp {
    /// Help of a configuration key: what it does, what it may be, what it is by default.
    fileprivate static func key(_ name: String, valueName: String = "value") -> ArgumentHelp {
        guard let key = ConfigurationKey.named(name) else { return "" }
        let preset = key.defaultText.isEmpty ? "none" : key.defaultText
        let text = key.isSwitch ? key.help : "\(key.help) (\(key.allowed); default: \(preset))"
        return ArgumentHelp(stringLiteral: text).valued(valueName)
    }

    private func valued(_ name: String) -> ArgumentHelp {
        var help = self
        help.valueName = name
        return help
    }
}

/// A flag for each configuration key. Values stay text: one place judges them, wherever they come from.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("configuration file (.json, .yaml); also MILLRACE_CONFIG", valueName: "file"))
    var config: String?

    @Option(help: .key("http.address")) var httpAddress: String?
    @Flag(inversion: .prefixedNo, help: .key("insecure.http")) var insecureHttp: Bool?
    @Option(help: .key("http.port")) var httpPort: String?
    @Option(help: .key("http.headerBytes")) var httpHeaderBytes: String?
    @Option(help: .key("http.bodyBytes")) var httpBodyBytes: String?
    @Option(help: .key("http.sendSeconds")) var httpSendSeconds: String?
    @Option(help: .key("http.firstRequestSeconds")) var httpFirstRequestSeconds: String?
    @Option(help: .key("http.idleSeconds")) var httpIdleSeconds: String?
    @Option(help: .key("http.connections")) var httpConnections: String?
    @Option(help: .key("http.connectionsPerAddress")) var httpConnectionsPerAddress: String?
    @Option(name: .customLong("http-cors-origin"), help: .key("http.corsOrigin")) var httpCORSOrigin: String?
    @Option(help: .key("http.hosts")) var httpHosts: String?
    @Option(name: .customLong("http-tls-certificate"), help: .key("http.tlsCertificate", valueName: "file"))
    var httpTLSCertificate: String?
    @Option(name: .customLong("http-tls-key"), help: .key("http.tlsKey", valueName: "file")) var httpTLSKey: String?
    @Flag(name: .customLong("http-url-tokens"), inversion: .prefixedNo, help: .key("http.urlTokens"))
    var httpURLTokens: Bool?
    @Option(help: .key("admin.token")) var adminToken: String?
    @Option(help: .key("whip.token")) var whipToken: String?
    @Option(help: .key("whep.token")) var whepToken: String?

    @Option(help: .key("apps")) var apps: String?
    @Option(help: .key("app.default")) var appDefault: String?
    @Option(help: .key("token.leewaySeconds")) var tokenLeewaySeconds: String?
    @Option(help: .key("webhook.url")) var webhookUrl: String?
    @Option(help: .key("webhook.secret")) var webhookSecret: String?
    @Option(help: .key("webhook.queue")) var webhookQueue: String?
    @Option(help: .key("webhook.retrySeconds")) var webhookRetrySeconds: String?
    @Option(help: .key("issues.count")) var issuesCount: String?
    @Option(help: .key("issues.bytes")) var issuesBytes: String?
    @Option(help: .key("issues.packetHeaders")) var issuesPacketHeaders: String?
    @Option(help: .key("issues.directory", valueName: "directory")) var issuesDirectory: String?

    @Option(help: .key("media.address")) var mediaAddress: String?
    @Option(help: .key("media.advertised")) var mediaAdvertised: String?
    @Option(help: .key("media.port")) var mediaPort: String?
    @Option(help: .key("media.workers")) var mediaWorkers: String?
    @Option(help: .key("media.gatherMicroseconds")) var mediaGatherMicroseconds: String?
    @Option(help: .key("media.protection")) var mediaProtection: String?
    @Option(help: .key("media.offload")) var mediaOffload: String?

    @Option(help: .key("webrtc.port")) var webrtcPort: String?
    @Flag(inversion: .prefixedNo, help: .key("webrtc.tcp")) var webrtcTcp: Bool?
    @Option(help: .key("dtls.certificate")) var dtlsCertificate: String?
    @Option(help: .key("ice.servers")) var iceServers: String?
    @Option(help: .key("ice.username")) var iceUsername: String?
    @Option(help: .key("ice.credential")) var iceCredential: String?
    @Option(help: .key("bandwidth.minimumKilobits")) var bandwidthMinimumKilobits: String?
    @Option(help: .key("bandwidth.startKilobits")) var bandwidthStartKilobits: String?
    @Option(help: .key("bandwidth.maximumKilobits")) var bandwidthMaximumKilobits: String?
    @Option(help: .key("audio.loudest")) var audioLoudest: String?

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
    @Option(help: .key("connect.graceSeconds")) var connectGraceSeconds: String?
    @Option(help: .key("connect.pingSeconds")) var connectPingSeconds: String?
    @Option(help: .key("connect.joinSeconds")) var connectJoinSeconds: String?
    @Flag(inversion: .prefixedNo, help: .key("connect.keysOnLoopback")) var connectKeysOnLoopback: Bool?

    @Option(help: .key("storage.directory", valueName: "directory")) var storageDirectory: String?
    @Option(help: .key("storage.maximumMegabytes")) var storageMaximumMegabytes: String?
    @Flag(inversion: .prefixedNo, help: .key("storage.checkAtStart")) var storageCheckAtStart: Bool?
    @Flag(inversion: .prefixedNo, help: .key("storage.required")) var storageRequired: Bool?
    @Option(help: .key("messages.retentionDays")) var messagesRetentionDays: String?
    @Option(help: .key("record", valueName: "directory")) var record: String?
    @Option(help: .key("recording.directory", valueName: "directory")) var recordingDirectory: String?
    @Option(help: .key("drain.seconds")) var drainSeconds: String?
    @Option(help: .key("drain.minimumSeconds")) var drainMinimumSeconds: String?
    @Option(help: .key("crash.directory", valueName: "directory")) var crashDirectory: String?
    @Option(help: .key("log.level")) var logLevel: String?
    @Option(help: .key("log.format")) var logFormat: String?
    @Flag(inversion: .prefixedNo, help: .key("dev")) var dev: Bool?

    /// What was given, by key name.
    var flags: [String: String] {
        let all: KeyValuePairs<String, String?> = [
            "http.address": httpAddress, "insecure.http": insecureHttp.map(String.init), "http.port": httpPort,
            "http.headerBytes": httpHeaderBytes,
            "http.bodyBytes": httpBodyBytes, "http.sendSeconds": httpSendSeconds,
            "http.firstRequestSeconds": httpFirstRequestSeconds, "http.idleSeconds": httpIdleSeconds,
            "http.connections": httpConnections, "http.connectionsPerAddress": httpConnectionsPerAddress,
            "http.corsOrigin": httpCORSOrigin, "http.hosts": httpHosts,
            "http.urlTokens": httpURLTokens.map(String.init),
            "admin.token": adminToken, "http.tlsCertificate": httpTLSCertificate, "http.tlsKey": httpTLSKey,
            "whip.token": whipToken, "whep.token": whepToken, "apps": apps, "app.default": appDefault,
            "token.leewaySeconds": tokenLeewaySeconds, "webhook.url": webhookUrl, "webhook.secret": webhookSecret,
            "webhook.queue": webhookQueue, "webhook.retrySeconds": webhookRetrySeconds, "issues.count": issuesCount,
            "issues.bytes": issuesBytes, "issues.packetHeaders": issuesPacketHeaders,
            "issues.directory": issuesDirectory,
            "media.address": mediaAddress, "media.advertised": mediaAdvertised, "media.port": mediaPort,
            "media.workers": mediaWorkers, "media.gatherMicroseconds": mediaGatherMicroseconds,
            "media.protection": mediaProtection, "media.offload": mediaOffload, "webrtc.port": webrtcPort,
            "webrtc.tcp": webrtcTcp.map(String.init), "dtls.certificate": dtlsCertificate, "ice.servers": iceServers,
            "ice.username": iceUsername, "ice.credential": iceCredential,
            "bandwidth.minimumKilobits": bandwidthMinimumKilobits, "bandwidth.startKilobits": bandwidthStartKilobits,
            "bandwidth.maximumKilobits": bandwidthMaximumKilobits, "audio.loudest": audioLoudest,
            "limit.sessions": limitSessions,
            "limit.streams": limitStreams, "limit.transports": limitTransports, "limit.taps": limitTaps,
            "limit.canvasBytes": limitCanvasBytes,
            "limit.retransmissionBytes": limitRetransmissionBytes,
            "limit.retransmissionMilliseconds": limitRetransmissionMilliseconds,
            "limit.retransmissionPercent": limitRetransmissionPercent, "limit.publisherSeconds": limitPublisherSeconds,
            "limit.mailbox": limitMailbox, "limit.receiveBufferBytes": limitReceiveBufferBytes,
            "limit.sendBufferBytes": limitSendBufferBytes, "limit.unestablished": limitUnestablished,
            "limit.connectSeconds": limitConnectSeconds, "limit.consentSeconds": limitConsentSeconds,
            "limit.sdpBytes": limitSdpBytes,
            "limit.participants": limitParticipants,
            "limit.connections": limitConnections,
            "limit.subscriptions": limitSubscriptions,
            "limit.subsessions": limitSubsessions, "limit.movesPerSecond": limitMovesPerSecond,
            "limit.chatPerSecond": limitChatPerSecond, "limit.broadcastsPerSecond": limitBroadcastsPerSecond,
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
            "limit.groupMembers": limitGroupMembers, "limit.groupsPerUser": limitGroupsPerUser,
            "limit.loginsPerUser": limitLoginsPerUser,
            "connect.graceSeconds": connectGraceSeconds,
            "connect.pingSeconds": connectPingSeconds,
            "connect.joinSeconds": connectJoinSeconds,
            "connect.keysOnLoopback": connectKeysOnLoopback.map(String.init),
            "storage.directory": storageDirectory, "storage.maximumMegabytes": storageMaximumMegabytes,
            "storage.checkAtStart": storageCheckAtStart.map(String.init),
            "storage.required": storageRequired.map(String.init), "messages.retentionDays": messagesRetentionDays,
            "record": record, "recording.directory": recordingDirectory,
            "drain.seconds": drainSeconds, "drain.minimumSeconds": drainMinimumSeconds,
            "crash.directory": crashDirectory,
            "log.level": logLevel, "log.format": logFormat, "dev": dev.map(String.init),
        ]
        return Dictionary(uniqueKeysWithValues: all.compactMap { key, value in value.map { (key, $0) } })
    }

    /// Flags, environment and file together. Says what is wrong and ends with exit code 2 where something is.
    func resolve() async throws -> ResolvedConfiguration {
        let environment = ProcessInfo.processInfo.environment
        let loader = ConfigurationLoader(
            flags: flags, environment: environment, file: config ?? environment["MILLRACE_CONFIG"])
        do {
            let resolved = try await loader.load()
            for warning in resolved.warnings { FileHandle.standardError.write(Data("millrace: \(warning)\n".utf8)) }
            return resolved
        } catch {
            FileHandle.standardError.write(Data("millrace: \(error)\n".utf8))
            throw ExitCode(2)
        }
    }
}
