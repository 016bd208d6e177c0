internal import Logging
internal import MediaBase

extension ConfigurationKey {
    private static let numericAddress: @Sendable (String) -> Bool = { SocketAddress($0, port: 0) != nil }

    /// Every key, in the order in which `--help` and `--print-config` list them.
    package static let all: [ConfigurationKey] = [
        .text(
            "http.address", \.httpAddress, allowed: "a numeric address, or nothing",
            "address of the HTTP port; by default 127.0.0.1, and 0.0.0.0 once an admin token is set",
            accepts: { $0.isEmpty || numericAddress($0) }),
        .integer("http.port", \.httpPort, 0...65_535, "TCP port of the HTTP doors; 0: any free one"),
        .integer("http.headerBytes", \.httpHeaderBytes, 1_024...(1 << 20), "largest request head, in bytes"),
        .integer("http.bodyBytes", \.httpBodyBytes, 1_024...(16 << 20), "largest request body, in bytes"),
        .integer("http.sendSeconds", \.httpSendSeconds, 1...600, "time that a client has to send one request"),
        .integer("http.idleSeconds", \.httpIdleSeconds, 1...3_600, "time that an idle connection stays open"),
        .integer("http.connections", \.httpConnections, 1...1_000_000, "open HTTP connections at a time"),
        .text(
            "http.corsOrigin", \.httpCORSOrigin, allowed: "*, one origin, or nothing for no CORS headers",
            "origin that browsers may call from", accepts: { !$0.contains { $0.isNewline || !$0.isASCII } }),
        .text(
            "admin.token", \.adminToken, allowed: "8 to 512 visible ASCII characters, or nothing", secret: true,
            "bearer token that every /v1 request needs",
            accepts: {
                $0.isEmpty
                    || ($0.utf8.count >= 8 && $0.utf8.count <= 512 && $0.utf8.allSatisfy { (33...126).contains($0) })
            }),

        .text(
            "media.address", \.mediaAddress, allowed: "a numeric address", "address of the media sockets",
            accepts: numericAddress),
        .text(
            "media.advertised", \.mediaAdvertised, allowed: "a numeric address",
            "address that clients are told to send to",
            accepts: numericAddress),
        .integer(
            "media.port", \.mediaPort, 0...65_000, step: 2,
            "UDP port of worker 0, the next worker two higher; 0: free ones"),
        .integer("media.workers", \.mediaWorkers, 1...64, "threads that forward media"),
        .integer(
            "media.gatherMicroseconds", \.mediaGatherMicroseconds, 0...5_000, "longest wait for packets to share a send"
        ),
        .choice("media.protection", \.mediaProtection, "what encrypts outgoing packets"),
        .choice("media.offload", \.mediaOffload, "UDP segmentation and coalescing by the kernel"),

        .integer("limit.sessions", \.limitSessions, 1...1_000_000, "sessions"),
        .integer("limit.streams", \.limitStreams, 1...1_000_000, "streams a session"),
        .integer("limit.transports", \.limitTransports, 1...1_000_000, "transports a session"),
        .integer("limit.taps", \.limitTaps, 1...256, "taps (canvas readers, recordings) a stream"),
        .integer(
            "limit.retransmissionBytes", \.limitRetransmissionBytes, (64 << 10)...(256 << 20),
            "kept packets a video track"),
        .integer(
            "limit.retransmissionMilliseconds", \.limitRetransmissionMilliseconds, 0...30_000, "age of kept packets"),
        .integer(
            "limit.retransmissionPercent", \.limitRetransmissionPercent, 0...100, "retransmissions among sent bytes"),
        .integer(
            "limit.publisherSeconds", \.limitPublisherSeconds, 0...86_400, "silence that closes a publisher; 0: never"),
        .integer("limit.mailbox", \.limitMailbox, 16...1_000_000, "control calls waiting for one worker"),
        .integer(
            "limit.receiveBufferBytes", \.limitReceiveBufferBytes, (64 << 10)...(1 << 30),
            "kernel receive buffer a socket"),
        .integer(
            "limit.sendBufferBytes", \.limitSendBufferBytes, (64 << 10)...(1 << 30), "kernel send buffer a socket"),

        .text("record", \.record, allowed: "a directory, or nothing", "records every stream into this directory"),
        .text(
            "recording.directory", \.recordingDirectory, allowed: "a directory, or nothing",
            "directory of recordings that are asked for by HTTP; by default that of record"),
        .integer(
            "drain.seconds", \.drainSeconds, 0...60, "time between the shutdown signal and the close of the HTTP port"),
        .text(
            "log.level", \.logLevel, allowed: Logger.Level.allCases.map(\.rawValue).joined(separator: ", "),
            "least severe messages that are logged", accepts: { Logger.Level(rawValue: $0) != nil }),
        .choice("log.format", \.logFormat, "shape of log lines on standard error"),
        .flag("dev", \.development, "prints ffmpeg commands to paste for a session named \"demo\""),
    ]
}
