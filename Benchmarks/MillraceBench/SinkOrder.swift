import RTP
import SDP

/// Subscriber's half of a WebRTC connection, for the process that owns its socket.
struct SinkClientOrder: Codable {
    /// Index of the socket.
    var index: Int
    /// Credentials of the subscriber and of the relay.
    var fragment: String
    var password: String
    var relayFragment: String
    var relayPassword: String
    /// Fingerprint of the relay's certificate.
    var fingerprint: String
    /// Addresses of the relay, the preferred one first.
    var paths: [SinkPath]
    /// Role of the relay in the DTLS handshake.
    var relaySetup = PeerDescription.Setup.passive
    /// SRTP suite, as named in SDP.
    var suite: String
    /// Whether feedback and reports are sent to the relay; otherwise only connectivity checks are.
    var sendsFeedback: Bool
    /// Average time between connectivity checks after connecting.
    var consentSeconds: Double
    /// Whether the subscriber stops responding as soon as the relay has answered its first DTLS message.
    var stopsHalfway: Bool
    /// Header extensions of the relay's packets.
    var extensions: RTPExtensionMap
    /// Payload type of retransmissions and probes; nil: there are none.
    var repairs: UInt8?
}

/// Address of a relay's media.
struct SinkPath: Codable {
    var host = "127.0.0.1"
    var port: UInt16
}

/// Request to the process of the sockets; each line is answered by one line.
struct SinkOrder: Codable {
    /// Subscribers to connect; the answer comes when all have reached their final state.
    var clients: [SinkClientOrder] = []
}

/// State of the sockets.
struct SinkReport: Codable {
    var fingerprint = ""
    /// Number of subscribers that have reached their final state.
    var connected = 0
    var ended = 0
    /// RTP datagrams, including RTX.
    var packets = 0
    /// Retransmissions and probes among them.
    var repairs = 0
    var bytes = 0
    /// Feedback packets and reports that were sent.
    var feedback = 0
    var reports = 0
    /// Packets of the first subscriber that fail authentication.
    var unauthentic = 0
}
