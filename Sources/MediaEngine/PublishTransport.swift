import MediaBase
import SRTP

/// A publisher's SRTP: what comes in is checked by `context`, reports and requests go back under `leg`.
final class PublishTransport {
    /// What was decided for it lately, for reports.
    var decisions: DecisionLog
    let id: TransportID
    let rtcpMux: Bool
    let context: IngressContext
    let leg: UnsafeMutablePointer<EgressLeg>
    /// What leads to a WebRTC publisher; nil for a plain one.
    unowned(unsafe) let peer: WebRTCPeer?
    /// Indices into the worker's inbound tracks.
    var tracks: [Int] = []
    var lastAuthentic: MediaTime
    /// SSRC that the relay's own reports carry.
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
