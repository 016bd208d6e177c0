import Foundation
public import Signaling

#if DEBUG
    package import MediaEngine
#endif

/// Everything that a `Relay` can be told. The defaults are those of `millrace serve`.
///
/// ```swift
/// var configuration = RelayConfiguration()
/// configuration.httpPort = 0
/// let relay = Relay(configuration: configuration)
/// try await relay.start()
/// ```
///
/// `ConfigurationKey.all` says which flag, environment variable and file entry sets each field, and its allowed range;
/// `validate()` holds a configuration that was made in code to the same ranges.
public struct RelayConfiguration: Sendable, Equatable {
    // MARK: HTTP

    /// Numeric address that the HTTP port binds to. Any other than a loopback address needs TLS or `insecureHTTP`, and tokens.
    public var httpAddress = "127.0.0.1"
    /// Allows HTTP without TLS beyond loopback, and there a relay with `development`.
    public var insecureHTTP = false
    /// TCP port of the HTTP doors; 0 takes any free one (`Relay.httpPort` tells which).
    public var httpPort = 7880
    /// Bytes that the request line and the header fields of one request may have.
    public var httpHeaderBytes = 16 << 10
    /// Bytes that the body of one request may have.
    public var httpBodyBytes = 256 << 10
    /// Seconds from the first byte of a request to its last.
    public var httpSendSeconds = 10
    /// Seconds that a new connection has to begin its first request; a TLS handshake before it is part of that.
    public var httpFirstRequestSeconds = 10
    /// Seconds that a connection without a request stays open.
    public var httpIdleSeconds = 60
    /// Connections open at a time, WebSockets included; further ones wait in the listen queue. The limit of open files may allow fewer.
    public var httpConnections = 4_096
    /// Connections open at a time from one IPv4 address or IPv6 /64 network; further ones are refused. 0: a quarter of the connections
    /// that the limit of open files allows.
    public var httpConnectionsPerAddress = 0
    /// Origins, separated by commas, whose pages may call the relay; `*`: any may call what asks for a token. Empty: only its own pages.
    public var httpCORSOrigin = ""
    /// Host names, separated by commas, by which the relay may be called if it asks for no token, apart from `localhost` and numeric
    /// addresses.
    public var httpHosts = ""
    /// PEM files of the HTTP port's certificate, with those that vouch for it, and of its key; both empty: HTTP without TLS. They are read
    /// again when they change.
    public var httpTLSCertificate = ""
    public var httpTLSKey = ""
    /// Bearer token (RFC 6750) of `/v1`, and beyond loopback of `/metrics`; empty: they ask for none.
    public var adminToken = ""
    /// WHIP and WHEP take tokens from URLs as well, for clients that cannot set a header field.
    public var httpURLTokens = false
    /// Where set, every `/whip` request needs it as its bearer token.
    public var whipToken = ""
    /// Where set, every `/whep` request needs it as its bearer token.
    public var whepToken = ""

    // MARK: apps

    /// Tenants, as `key:secret` with commas between them.
    public var apps = ""
    /// App of sessions that are entered without a token, by WHIP, WHEP and plain transports. Empty: the first of `apps` by name.
    public var appDefault = ""
    /// Seconds that the clocks of token makers and the relay may differ.
    public var tokenLeewaySeconds = 5
    /// Where webhook events are sent; empty: nowhere.
    public var webhookURL = ""
    /// Signs webhook events; empty: they are not signed.
    public var webhookSecret = ""
    /// Webhook events that wait at a time.
    public var webhookQueue = 10_000
    /// Seconds from an event to its last try.
    public var webhookRetrySeconds = 3_600
    /// Reports of clients that are kept.
    public var issuesCount = 100
    /// Bytes of one report.
    public var issuesBytes = 1 << 20
    public var issuesPacketHeaders = 4_096
    /// Directory of reports; empty: they are kept in memory.
    public var issuesDirectory = ""

    // MARK: media

    /// Numeric address that the media sockets bind to.
    public var mediaAddress = "0.0.0.0"
    /// Numeric addresses that answers tell clients to send media to, separated by commas, the preferred one first. Plain transports
    /// name the first; WebRTC answers have a candidate for each. Empty: the addresses that this host has when the relay starts, loopback
    /// last.
    public var mediaAdvertised = ""
    /// UDP port for RTP of plain transports: worker i has this + 2i, RTCP the port after it. 0 takes free ones.
    public var mediaPort = 7982
    /// Threads that forward media.
    public var mediaWorkers = 1
    /// Microseconds that a packet may wait for others to be sent with.
    public var mediaGatherMicroseconds = 1_000
    public var mediaProtection = Protection.automatic
    public var mediaOffload = Offload.automatic

    // MARK: WebRTC

    /// UDP port, and TCP port where `webRTCTCP` is set: worker i has this + i. 0 takes free ones.
    public var webRTCPort = 7_882
    /// Takes ICE over TCP as well (RFC 6544), for networks that let no UDP through.
    public var webRTCTCP = true
    public var dtlsCertificate = Certificate.ecdsa
    /// STUN and TURN URLs (RFC 7064, RFC 7065) that WHIP and WHEP answers name for clients, separated by commas.
    public var iceServers = ""
    /// Goes with the TURN URLs among them.
    public var iceUsername = ""
    public var iceCredential = ""
    /// Kilobits a second: bounds and first value of the estimate of what one viewer can take.
    public var bandwidthMinimumKilobits = 50
    public var bandwidthStartKilobits = 600
    public var bandwidthMaximumKilobits = 50_000
    /// Audio tracks of a session that are forwarded at a time: the loudest. 0: all.
    public var audioLoudest = 10

    // MARK: limits

    public var limitSessions = 10_000
    /// Streams of one session.
    public var limitStreams = 2_000
    /// Transports of one session.
    public var limitTransports = 10_000
    /// Taps (canvas readers and recordings) of one stream.
    public var limitTaps = 16
    /// Memory of one canvas reader, in bytes; sets the largest video frame that a canvas decodes.
    public var limitCanvasBytes = 64 << 20
    /// Bytes of kept packets of one video producer.
    public var limitRetransmissionBytes = 4 << 20
    /// Milliseconds that a packet is kept for retransmission.
    public var limitRetransmissionMilliseconds = 2_000
    /// Share of the sent bytes that retransmissions may take.
    public var limitRetransmissionPercent = 50
    /// Seconds without an authentic packet after which a publisher is closed; 0: never.
    public var limitPublisherSeconds = 60
    /// Control calls that may wait for one worker.
    public var limitMailbox = 16_384
    /// Bytes asked of the kernel for each media socket.
    public var limitReceiveBufferBytes = 8 << 20
    public var limitSendBufferBytes = 8 << 20
    /// WebRTC transports that have not connected yet; a further one takes the place of the oldest.
    public var limitUnestablished = 2_000
    /// Seconds from the answer to the end of the DTLS handshake.
    public var limitConnectSeconds = 15
    /// Seconds without a connectivity check after which a WebRTC peer is gone (RFC 7675).
    public var limitConsentSeconds = 30
    /// Bytes of one SDP offer or fragment.
    public var limitSDPBytes = 64 << 10
    /// Users of one session.
    public var limitParticipants = 10_000
    /// Size of a session from which users with neither stream nor role are counted, not listed; 0: always.
    public var limitListedUsers = 500
    /// Clients of the control protocol, lost ones in their grace time included.
    public var limitConnections = 100_000
    /// Subscriptions of one user.
    public var limitSubscriptions = 200
    /// Subsessions of one session.
    public var limitSubsessions = 50
    /// Moves of one user between subsessions a second.
    public var limitMovesPerSecond = 5
    /// Chat messages of one user a second.
    public var limitChatPerSecond = 5
    /// Broadcasts of one manager to subsessions a second.
    public var limitBroadcastsPerSecond = 2
    /// Messages that one client may send a second.
    public var limitMessagesPerSecond = 100
    /// Seconds between two reports of one client.
    public var limitIssueSeconds = 10
    /// WebSockets that have not joined a session.
    public var limitUnjoined = 1_024
    /// Those of them from one IPv4 address, or from one IPv6 network of 64 bits.
    public var limitUnjoinedPerAddress = 256
    /// Wrong passwords of one address for one session in a minute.
    public var limitWrongPasswords = 5
    /// Wrong static tokens (admin, WHIP, WHEP) of one address in a minute; then it is refused for a minute.
    public var limitWrongTokens = 10
    /// Events that wait for a client that does not read; more, and it is dropped.
    public var limitUnsentEvents = 4_096
    /// Sent events that are kept for a client that comes back.
    public var limitReplayEvents = 1_024
    /// What one user of an app, one token and one address (IPv4, or IPv6 /64 network) may hold: participants of sessions and connections
    /// that only log in to conversations; transports; bytes that wait for clients that do not read.
    public var limitParticipantsPerUser = 32
    public var limitParticipantsPerToken = 16
    public var limitParticipantsPerAddress = 1_024
    public var limitTransportsPerUser = 64
    public var limitTransportsPerToken = 32
    public var limitTransportsPerAddress = 2_048
    public var limitQueuedBytesPerUser = 32 << 20
    public var limitQueuedBytesPerToken = 16 << 20
    public var limitQueuedBytesPerAddress = 256 << 20
    /// Subscriptions of one client that wait for the media engine at a time; what is asked for beyond it is refused.
    public var limitMediaOrders = 400

    // MARK: conversations

    /// Directory of the database of conversations. Empty: none are kept; with `development` a temporary one.
    public var storageDirectory = ""
    /// Largest size of the database, in MiB; 0: as large as the disk.
    public var storageMaximumMegabytes = 16_384
    /// Looks through the whole database at the start.
    public var storageCheckAtStart = true
    /// Refuses to start where the database cannot be opened; else the relay does without conversations.
    public var storageRequired = false
    /// Days that messages are kept; 0: for ever.
    public var messagesRetentionDays = 0
    /// Messages that one user may send a second, by all its sockets.
    public var limitUserMessagesPerSecond = 20
    /// Requests about conversations of one user a second.
    public var limitUserRequestsPerSecond = 100
    /// Entries of users' lists that one user touches a second.
    public var limitUserEntriesPerSecond = 500
    /// Members of one group.
    public var limitGroupMembers = 500
    /// Groups that one user made.
    public var limitGroupsPerUser = 1_000
    /// Sockets of one user that are told of its conversations.
    public var limitLoginsPerUser = 32

    // MARK: the control protocol

    /// Seconds that the connection of a lost client is kept.
    public var connectGraceSeconds = 30
    /// Seconds without a sign of a client after which it is asked for one; after three of them it is lost.
    public var connectPingSeconds = 10
    /// Seconds that a WebSocket has to join a session.
    public var connectJoinSeconds = 60
    /// Users that the host of a session may make host or manager.
    public var rolePromotion = RolePromotion.any
    /// Effect of a moderator's request to unmute a user.
    public var muteUnmuteOthers = UnmutePolicy.request
    /// Clients on this host may have native media, whose keys go over the control connection, without TLS.
    public var connectKeysOnLoopback = true

    // MARK: the process

    /// Directory that every published stream is recorded into. Empty: streams are recorded when that is asked for.
    public var record = ""
    /// Directory of recordings that are asked for; empty: the one of `record`, and without that there are none.
    public var recordingDirectory = ""
    /// Seconds that clients have to leave after the shutdown signal, when `/readyz` turns 503; without clients the relay ends earlier.
    public var drainSeconds = 10
    /// Seconds from the shutdown signal to the close of the HTTP port at the least, so that a load balancer sees `/readyz`; never more
    /// than `drainSeconds`.
    public var drainMinimumSeconds = 1
    /// Directory of crash reports. Empty: `crash` in `storageDirectory`; without that, reports go to standard error.
    public var crashDirectory = ""
    /// `trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`.
    public var logLevel = "info"
    public var logFormat = LogFormat.text
    /// Knows the app "dev" with a secret that everybody knows, gives tokens of it away, and prints ready-to-paste commands.
    public var development = false
    #if DEBUG
        /// What the engine does wrong on purpose.
        package var fault: Fault?
    #endif

    public init() {}

    /// The parts of a text that are separated by commas.
    static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Where recordings go; nil: nowhere.
    public var effectiveRecordingDirectory: String? {
        if !recordingDirectory.isEmpty { return recordingDirectory }
        return record.isEmpty ? nil : record
    }

    /// Which implementation encrypts what subscribers get.
    public enum Protection: String, Sendable, CaseIterable {
        case automatic
        /// OpenSSL, one packet at a time.
        case evp
        /// libipsec-mb, many packets at a time (x86-64).
        case multiBuffer
    }

    /// Kind of key in the certificate that DTLS handshakes show.
    public enum Certificate: String, Sendable, CaseIterable {
        /// P-256.
        case ecdsa
        /// 2048 bits, for peers that know no elliptic curves.
        case rsa
    }

    /// Use of UDP segmentation and coalescing by the kernel.
    public enum Offload: String, Sendable, CaseIterable {
        case automatic
        case off
    }

    public enum LogFormat: String, Sendable, CaseIterable {
        case text
        case json
    }

    /// Checks every field against its key's range.
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

    /// Keys that have to fit each other.
    private func validateTogether() throws(ConfigurationError) {
        guard httpTLSCertificate.isEmpty == httpTLSKey.isEmpty else {
            throw .badValue(
                key: httpTLSKey.isEmpty ? "http.tlsKey" : "http.tlsCertificate", value: "",
                allowed: "a PEM file, as the other one is set", source: .code)
        }
        let missing = missingForExposure
        guard missing.isEmpty else { throw .exposed(address: httpAddress, missing: missing) }
        let keys = appDirectory.keys
        guard appDefault.isEmpty || keys.contains(appDefault) else {
            throw .badValue(
                key: "app.default", value: appDefault,
                allowed: keys.isEmpty ? "nothing, as there are no apps" : keys.joined(separator: ", "), source: .code)
        }
        guard bandwidthMinimumKilobits <= bandwidthStartKilobits, bandwidthStartKilobits <= bandwidthMaximumKilobits
        else {
            throw .badValue(
                key: "bandwidth.startKilobits", value: String(bandwidthStartKilobits),
                allowed: "\(bandwidthMinimumKilobits) to \(bandwidthMaximumKilobits), the other bandwidth keys",
                source: .code)
        }
    }
}
