/// A subscriber's half of a WebRTC connection, for the process that has its socket.
struct LegOrder: Codable {
    /// Which socket.
    var place: Int
    /// The subscriber's own credentials, and the relay's.
    var fragment: String
    var password: String
    var relayFragment: String
    var relayPassword: String
    /// Of the relay's certificate.
    var fingerprint: String
    var port: UInt16
    /// As in SDP.
    var suite: String
    /// Feedback and reports go to the relay; else connectivity checks alone.
    var tells: Bool
    /// Between connectivity checks once it is connected, on average.
    var consentSeconds: Double
    /// Falls silent as soon as the relay has answered its first DTLS message.
    var stopsHalfway: Bool
}

/// What the process of the sockets is asked for; each line is answered by one.
struct SinkOrder: Codable {
    /// Begins these legs, and answers when all of them are connected, or as far as they are to come.
    var legs: [LegOrder] = []
}

/// How things stand at the sockets.
struct SinkReport: Codable {
    var fingerprint = ""
    /// Legs that have come as far as they are to come.
    var connected = 0
    var ended = 0
    /// RTP datagrams, RTX among them.
    var packets = 0
    var bytes = 0
    /// Feedback packets and reports that were sent.
    var feedback = 0
    var reports = 0
    /// Packets of the first leg that its keys do not fit.
    var unauthentic = 0
}
