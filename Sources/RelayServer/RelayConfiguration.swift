import Foundation
public import Signaling

#if DEBUG
    package import MediaEngine
#endif

/// Configuration of a `Relay`. The defaults are those of `millrace serve`.
///
/// ```swift
/// var configuration = RelayConfiguration()
/// configuration.httpPort = 0
/// let relay = Relay(configuration: configuration)
/// try await relay.start()
/// ```
///
/// `ConfigurationKey.all` lists the flag, environment variable, file entry and allowed values of each field;
/// `validate()` checks a configuration that was made in code against the same values.
public struct RelayConfiguration: Sendable, Equatable {
    // MARK: HTTP

    /// Numeric address that the HTTP port binds to. An address other than loopback needs TLS or `insecureHTTP`, and
    /// tokens.
    public var httpAddress = "127.0.0.1"
    /// Allows HTTP without TLS beyond loopback, also with `development`.
    public var insecureHTTP = false
    /// TCP port of the HTTP endpoints; 0 for any free one, see `Relay.httpPort`.
    public var httpPort = 7880
    /// Maximum bytes of the request line and header fields of one request.
    public var httpHeaderBytes = 16 << 10
    /// Maximum bytes of the body of one request.
    public var httpBodyBytes = 256 << 10
    /// Maximum seconds from the first byte of a request to its last.
    public var httpSendSeconds = 10
    /// Maximum seconds until a new connection begins its first request, including a TLS handshake.
    public var httpFirstRequestSeconds = 10
    /// Seconds after which a connection without a request is closed.
    public var httpIdleSeconds = 60
    /// Maximum number of open connections, including WebSockets; further ones wait in the listen queue. The limit of
    /// open files may allow fewer.
    public var httpConnections = 4_096
    /// Maximum number of open connections from one IPv4 address or IPv6 /64 network; further ones are refused. 0 for a
    /// quarter of the connections that the limit of open files allows.
    public var httpConnectionsPerAddress = 0
    /// Origins, separated by commas, whose pages may call the relay. `*` allows all origins at endpoints that require a
    /// token. Empty for only the relay's own pages.
    public var httpCORSOrigin = ""
    /// Host names, separated by commas, that requests may use if the relay requires no token, in addition to
    /// `localhost` and numeric addresses.
    public var httpHosts = ""
    /// PEM files of the HTTP port's certificate, followed by its chain, and of its key; both empty for HTTP without
    /// TLS. They are read again when they change.
    public var httpTLSCertificate = ""
    public var httpTLSKey = ""
    public var tls = TLS.files
    /// Bearer token (RFC 6750) of `/v1`, and beyond loopback of `/metrics`; empty if they require none.
    public var adminToken = ""
    /// Whether WHIP and WHEP also accept tokens in URLs, for clients that cannot set a header field.
    public var httpURLTokens = false
    /// Bearer token that every `/whip` request needs; empty for none.
    public var whipToken = ""
    /// Bearer token that every `/whep` request needs; empty for none.
    public var whepToken = ""

    // MARK: apps

    /// Tenants, as `key:secret` with commas between them.
    public var apps = ""
    /// App of sessions that are entered without a token, by WHIP, WHEP and plain transports. Empty for the first of
    /// `apps` by name.
    public var appDefault = ""
    /// Tolerated difference between the clocks of token issuers and the relay, in seconds.
    public var tokenLeewaySeconds = 5
    /// URL that webhook events are sent to; empty for none.
    public var webhookURL = ""
    /// Secret that signs webhook events; empty for no signature.
    public var webhookSecret = ""
    /// Maximum number of queued webhook events.
    public var webhookQueue = 10_000
    /// Seconds from an event to the last attempt to send it.
    public var webhookRetrySeconds = 3_600
    /// Number of clients' reports that are kept.
    public var issuesCount = 100
    /// Maximum bytes of one report.
    public var issuesBytes = 1 << 20
    public var issuesPacketHeaders = 4_096
    /// Length of the quality timeline of each peer connection; 0: none.
    public var qualitySeconds = 600
    /// Directory of reports; empty to keep them in memory.
    public var issuesDirectory = ""

    // MARK: media

    /// Numeric address that the media sockets bind to.
    public var mediaAddress = "0.0.0.0"
    /// Numeric addresses in answers that clients send media to, separated by commas, preferred one first. Plain
    /// transports name the first; WebRTC answers have a candidate for each. Empty for the addresses that this host has
    /// when the relay starts, loopback last.
    public var mediaAdvertised = ""
    /// UDP port for RTP of plain transports: worker i uses this + 2i, and the port after it for RTCP. 0 for free ports.
    public var mediaPort = 7982
    /// Number of threads that forward media.
    public var mediaWorkers = 1
    /// Use of a core by the worker of a session, in percent, from which on further subscribers go to workers with less load. 100: never.
    public var mediaSpreadAbovePercent = 60
    /// Microseconds that a packet may wait for others, to share a system call, while the worker has little load. 0 turns gathering off.
    public var mediaGatherMicroseconds = 1_000
    /// Microseconds that a video packet may wait for the rest of its frame while the worker is loaded.
    public var mediaLatencyBudgetMicroseconds = 5_000
    /// Microseconds that an audio packet may wait for those of other publishers while the worker is loaded.
    public var mediaAudioLatencyBudgetMicroseconds = 2_000
    public var mediaProtection = Protection.automatic
    public var mediaOffload = Offload.automatic
    /// Sending of short runs of packets as complete frames, past the firewall and the queueing disciplines of the host.
    public var mediaRawEgress = RawEgress.off
    /// Video codecs that are forwarded, separated by commas, in the order of the relay's offers to subscribers.
    public var videoCodecs = "vp8,h264,vp9,av1"

    // MARK: WebRTC

    /// UDP port, and TCP port with `webRTCTCP`: worker i uses this + i. 0 for free ports.
    public var webRTCPort = 7_882
    /// Whether ICE over TCP (RFC 6544) is accepted, for networks that block UDP.
    public var webRTCTCP = true
    public var dtlsCertificate = Certificate.ecdsa
    /// STUN and TURN URLs (RFC 7064, RFC 7065) in answers of WHIP and WHEP, separated by commas.
    public var iceServers = ""
    /// User name for the TURN URLs of `iceServers`.
    public var iceUsername = ""
    public var iceCredential = ""
    /// Minimum, initial value and maximum of the bandwidth estimate of one subscriber's path, in kilobits per second.
    public var bandwidthMinimumKilobits = 50
    public var bandwidthStartKilobits = 600
    public var bandwidthMaximumKilobits = 50_000
    /// Number of audio tracks of a session that are forwarded at a time, the loudest ones. 0 for all.
    public var audioLoudest = 10

    // MARK: live streams

    /// Whether live streams may be pushed to addresses inside the operator's network.
    public var liveAllowPrivate = false
    /// Whether live streams may be pushed to `http:` URLs.
    public var liveAllowHTTP = false
    /// Maximum number of live streams of the relay.
    public var livePushes = 100

    // MARK: limits

    public var limitSessions = 10_000
    /// Maximum streams of one session.
    public var limitStreams = 2_000
    /// Maximum transports of one session.
    public var limitTransports = 10_000
    /// Maximum taps (readers of canvas and live streams, and recordings) of one stream.
    public var limitTaps = 16
    /// Maximum programmes (live streams of whole sessions) that run at the same time.
    public var limitProgrammes = 16
    /// Maximum readers of one programme.
    public var limitProgrammeReaders = 100
    /// Maximum streams of a session that its programme considers.
    public var limitProgrammeStreams = 100
    /// Memory of one canvas reader, in bytes; sets the largest video frame that a canvas decodes.
    public var limitCanvasBytes = 64 << 20
    /// Bytes of packets of one video producer that are kept for retransmission.
    public var limitRetransmissionBytes = 4 << 20
    /// Maximum percentage of retransmissions in sent bytes.
    public var limitRetransmissionPercent = 50
    /// Seconds without an authentic packet after which a publisher is closed; 0 for never.
    public var limitPublisherSeconds = 60
    /// Maximum control calls that wait for one worker.
    public var limitMailbox = 16_384
    /// Kernel buffer sizes that are requested for each media socket, in bytes.
    public var limitReceiveBufferBytes = 8 << 20
    public var limitSendBufferBytes = 8 << 20
    /// Maximum number of WebRTC transports that have not connected yet; a further one replaces the oldest.
    public var limitUnestablished = 2_000
    /// Maximum seconds from the answer to the end of the DTLS handshake.
    public var limitConnectSeconds = 15
    /// Seconds without a connectivity check after which a WebRTC transport is closed (RFC 7675).
    public var limitConsentSeconds = 30
    /// Maximum bytes of one SDP offer or fragment.
    public var limitSDPBytes = 64 << 10
    /// Maximum users of one session.
    public var limitParticipants = 10_000
    /// Size of a session from which users with neither stream nor role are counted instead of listed; 0 for always.
    public var limitListedUsers = 500
    /// Maximum clients of the control protocol, including lost ones in their grace time.
    public var limitConnections = 100_000
    /// Maximum subscriptions of one user.
    public var limitSubscriptions = 200
    /// Maximum subsessions of one session.
    public var limitSubsessions = 50
    /// Maximum moves of one user between subsessions per second.
    public var limitMovesPerSecond = 5
    /// Maximum chat messages of one user per second.
    public var limitChatPerSecond = 5
    /// Maximum broadcasts of one manager to subsessions per second.
    public var limitBroadcastsPerSecond = 2
    /// Maximum live streams of one session that are pushed to other servers.
    public var limitLiveStreams = 4
    /// Maximum messages of one client per second.
    public var limitMessagesPerSecond = 100
    /// Minimum seconds between two reports of one client.
    public var limitIssueSeconds = 10
    /// Maximum number of WebSockets that have not joined a session.
    public var limitUnjoined = 1_024
    /// Maximum number of them from one IPv4 address or IPv6 /64 network.
    public var limitUnjoinedPerAddress = 256
    /// Maximum wrong passwords per minute of one token from one address for one session. Without regard to tokens, one
    /// address may make 20 times as many.
    public var limitWrongPasswords = 5
    /// Maximum wrong static tokens (admin, WHIP, WHEP) of one address per minute; beyond that it is refused for a
    /// minute.
    public var limitWrongTokens = 10
    /// Maximum unsent events of one client; beyond that it is disconnected.
    public var limitUnsentEvents = 4_096
    /// Sent events that are kept for a client that resumes.
    public var limitReplayEvents = 1_024
    /// Limits of one user of an app, one token and one address (IPv4 address or IPv6 /64 network): participants of
    /// sessions, including connections that only log in to conversations; transports; unsent bytes that are queued for
    /// clients.
    public var limitParticipantsPerUser = 32
    public var limitParticipantsPerToken = 16
    public var limitParticipantsPerAddress = 1_024
    public var limitTransportsPerUser = 64
    public var limitTransportsPerToken = 32
    public var limitTransportsPerAddress = 2_048
    public var limitQueuedBytesPerUser = 32 << 20
    public var limitQueuedBytesPerToken = 16 << 20
    public var limitQueuedBytesPerAddress = 256 << 20
    /// Maximum subscriptions of one client that wait for the media engine; further ones are refused.
    public var limitMediaOrders = 400

    // MARK: conversations

    /// Directory of the database of conversations. Empty for no conversations, or with `development` for a temporary
    /// one.
    public var storageDirectory = ""
    /// PostgreSQL database of conversations that relays share, as a `postgres:` URL, in place of a directory.
    public var storageURL = ""
    /// Maximum size of the database in `storageDirectory`, in MiB; 0 for no limit.
    public var storageMaximumMegabytes = 16_384
    /// Whether the whole database is checked at startup.
    public var storageCheckAtStart = true
    /// Whether the relay refuses to start if the database cannot be opened; otherwise it runs without conversations.
    public var storageRequired = false
    /// Days that messages are kept; 0 for forever.
    public var messagesRetentionDays = 0
    /// Maximum messages per second of one user, over all its connections.
    public var limitUserMessagesPerSecond = 20
    /// Maximum requests about conversations per second of one user.
    public var limitUserRequestsPerSecond = 100
    /// Maximum entries in users' lists that one user may change per second.
    public var limitUserEntriesPerSecond = 500
    /// Maximum members of one group.
    public var limitGroupMembers = 500
    /// Maximum groups created by one user.
    public var limitGroupsPerUser = 1_000
    /// Maximum connections of one user that receive events of its conversations.
    public var limitLoginsPerUser = 32

    // MARK: cluster

    /// PostgreSQL database of the cluster, as a `postgres:` URL. Empty for a relay without a cluster.
    public var clusterURL = ""
    /// Name of this relay in the cluster. Empty for the host name.
    public var clusterID = ""
    /// Host and port at which the other relays reach this one. Empty for the first advertised address with port 7881.
    public var clusterLink = ""
    /// Numeric address that the port of links binds to.
    public var clusterListenAddress = "0.0.0.0"
    /// Group of relays that are near each other.
    public var clusterRegion = "default"
    /// Seconds without a heartbeat after which the sessions of a relay can be taken over.
    public var clusterTTLSeconds = 5
    /// Whether the media of a client opens at the relay that the client is connected to; otherwise at the home relay of its session.
    public var clusterPipes = true

    // MARK: the control protocol

    /// Seconds that the connection of a lost client is kept.
    public var connectGraceSeconds = 30
    /// Seconds without a message after which a client is pinged; after three times that it is lost.
    public var connectPingSeconds = 10
    /// Seconds within which a WebSocket must join a session.
    public var connectJoinSeconds = 60
    /// Users that the host of a session may make host or manager.
    public var rolePromotion = RolePromotion.any
    /// Effect of a moderator's request to unmute a user.
    public var muteUnmuteOthers = UnmutePolicy.request
    /// Whether clients on this host may use native media without TLS. Its keys are sent over the signalling connection.
    public var connectKeysOnLoopback = true

    // MARK: the process

    /// Directory that every published stream is recorded into. Empty if streams are recorded only on request.
    public var record = ""
    /// Directory of recordings on request. Empty for the directory of `record`; if that is empty as well, recording is
    /// disabled.
    public var recordingDirectory = ""
    /// Whether the recorded streams of a session are composed to one file when the session is over.
    public var recordingCompose = true
    /// Whether chat is recorded beside the streams of a session.
    public var recordingChat = true
    /// Seconds for clients to leave after the shutdown signal, when `/readyz` returns 503; the relay ends earlier if
    /// there are no clients.
    public var drainSeconds = 10
    /// Minimum seconds from the shutdown signal to the close of the HTTP port, so that a load balancer sees `/readyz`;
    /// at most `drainSeconds`.
    public var drainMinimumSeconds = 1
    /// Directory of crash reports. Empty for `crash` in `storageDirectory`; if that is empty as well, reports go to
    /// standard error.
    public var crashDirectory = ""
    /// `trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`.
    public var logLevel = "info"
    public var logFormat = LogFormat.text
    /// Adds the app "dev" with a publicly known secret, issues its tokens to all clients, and prints commands to paste.
    public var development = false
    #if DEBUG
        /// Injected fault of the media engine.
        package var fault: Fault?
    #endif

    public init() {}

    /// Splits a text at its commas.
    static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Directory of recordings; nil if recording is disabled.
    public var effectiveRecordingDirectory: String? {
        if !recordingDirectory.isEmpty { return recordingDirectory }
        return record.isEmpty ? nil : record
    }

    /// Implementation that encrypts media for subscribers.
    public enum Protection: String, Sendable, CaseIterable {
        case automatic
        /// OpenSSL, one packet at a time.
        case evp
        /// libipsec-mb, many packets at a time (x86-64).
        case multiBuffer
    }

    /// Certificate of the HTTP port.
    public enum TLS: String, Sendable, CaseIterable {
        /// That of `httpTLSCertificate`; no TLS if it is empty.
        case files
        /// One that the relay makes for itself and keeps, see docs/page.md.
        case selfSigned = "self-signed"
    }

    /// Type of key in the certificate of DTLS handshakes.
    public enum Certificate: String, Sendable, CaseIterable {
        /// P-256.
        case ecdsa
        /// 2048 bits, for peers without support for elliptic curves.
        case rsa
    }

    /// Use of UDP segmentation and coalescing by the kernel.
    public enum Offload: String, Sendable, CaseIterable {
        case automatic
        case off
    }

    /// Use of packet sockets for media.
    public enum RawEgress: String, Sendable, CaseIterable {
        /// If the process has CAP_NET_RAW.
        case automatic
        case off
    }

    public enum LogFormat: String, Sendable, CaseIterable {
        case text
        case json
    }

    /// Checks every field against the allowed values of its key.
    public func validate() throws(ConfigurationError) {
        for key in ConfigurationKey.all {
            var copy = self
            let text = key.read(self)
            guard key.write(&copy, text) else {
                throw .badValue(
                    key: key.name, value: key.isSecret ? "(secret)" : text, allowed: key.allowed, source: .code)
            }
        }
        try validateTogether()
    }
}
