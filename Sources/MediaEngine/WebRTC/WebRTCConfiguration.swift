package import MediaBase

/// What the WebRTC door of a `MediaEngine` is built from.
package struct WebRTCConfiguration: Sendable {
    /// UDP port, and TCP port where `tcp` is set: worker i has `port + i`. 0: any free one.
    package var port: UInt16 = 7882
    /// Numeric addresses that answers name as candidates, the preferred one first. Empty: the engine's advertised address.
    package var advertisedAddresses: [String] = []
    /// Takes ICE over TCP as well (RFC 6544), for networks that let no UDP through.
    package var tcp = true
    /// What TCP connections may take.
    package var streams = StreamLimits()
    package var certificate = Certificate.ecdsa
    /// Bounds and first value of the send-side bandwidth estimate of one subscriber.
    package var minimumBitrate = Bitrate(rawValue: 50_000)
    package var startBitrate = Bitrate(rawValue: 600_000)
    package var maximumBitrate = Bitrate(rawValue: 50_000_000)
    /// Audio tracks of each room of a session that are forwarded at a time: the loudest. 0: all.
    package var loudestAudio = 10
    /// Transports that have not connected yet; a further one takes the place of the oldest.
    package var unestablishedTransports = 2_000
    /// From the answer to the end of the DTLS handshake.
    package var connectTimeout: MediaTime = .seconds(15)
    /// From the answer to the report of a peer that has not connected, and from there to that of a publisher without media.
    package var pathTimeout: MediaTime = .seconds(10)
    /// A peer that sends no connectivity check for this long is gone (RFC 7675 section 5.1).
    package var consentTimeout: MediaTime = .seconds(30)

    /// Kind of key in the certificate that the DTLS handshakes show.
    package enum Certificate: String, Sendable, CaseIterable {
        /// P-256.
        case ecdsa
        /// 2048 bits.
        case rsa
    }

    package init() {}
}
