import MediaBase
import SRTP

/// SRTP contexts of a publisher: `context` authenticates and decrypts its packets, `leg` holds the keys of reports and requests to it.
final class PublishTransport {
    /// Recent decisions for this publisher, for reports.
    var decisions: DecisionLog
    let id: TransportID
    let rtcpMux: Bool
    let context: IngressContext
    let leg: UnsafeMutablePointer<EgressLeg>
    /// WebRTC peer of the publisher; nil for a plain publisher.
    unowned(unsafe) let peer: WebRTCPeer?
    /// Indices into the worker's inbound tracks.
    var tracks: [Int] = []
    var lastAuthentic: MediaTime
    /// SSRC of the relay in its own RTCP packets.
    let localSSRC: SSRC

    init(
        id: TransportID, rtcpMux: Bool, context: IngressContext,
        leg: UnsafeMutablePointer<EgressLeg>, peer: WebRTCPeer? = nil, localSSRC: SSRC, now: MediaTime
    ) {
        self.id = id
        decisions = DecisionLog(session: peer?.session, transport: id.rawValue)
        self.rtcpMux = rtcpMux
        self.context = context
        self.leg = leg
        self.peer = peer
        self.localSSRC = localSSRC
        lastAuthentic = now
    }
}
