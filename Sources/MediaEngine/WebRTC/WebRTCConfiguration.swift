package import MediaBase

/// WebRTC configuration of a `MediaEngine`.
package struct WebRTCConfiguration: Sendable {
    /// UDP port, and TCP port if `tcp` is set: worker i uses `port + i`. 0: any free port.
    package var port: UInt16 = 7882
    /// Numeric addresses that answers give as candidates, in order of preference. Empty: the engine's advertised address.
    package var advertisedAddresses: [String] = []
    /// Accepts ICE over TCP as well (RFC 6544), for networks that block UDP.
    package var tcp = true
    /// Reads RTCP from a socket of its own, if the kernel can sort the port's datagrams.
    package var separatesRTCP = true
    /// Limits of TCP connections.
    package var streams = StreamLimits()
    package var certificate = Certificate.ecdsa
    /// Bounds and initial value of the send-side bandwidth estimate of one subscriber.
    package var minimumBitrate = Bitrate(rawValue: 50_000)
    package var startBitrate = Bitrate(rawValue: 600_000)
    package var maximumBitrate = Bitrate(rawValue: 50_000_000)
    /// Audio tracks of each subsession that are forwarded at a time: the loudest. 0: all.
    package var loudestAudio = 10
    /// Transports that have not connected yet. At the limit, a new one displaces the oldest.
    package var unestablishedTransports = 2_000
    /// Time from the answer to the end of the DTLS handshake.
    package var connectTimeout: MediaTime = .seconds(15)
    /// Time from the answer until a peer that has not connected is reported, and from the connection
    /// until a publisher without media is reported.
    package var pathTimeout: MediaTime = .seconds(10)
    /// Time without a connectivity check after which a peer has lost consent and ends (RFC 7675 section 5.1).
    package var consentTimeout: MediaTime = .seconds(30)

    /// Kind of the key in the DTLS certificate.
    package enum Certificate: String, Sendable, CaseIterable {
        /// P-256.
        case ecdsa
        /// 2048 bits.
        case rsa
    }

    package init() {}
}
