import MediaEngine
import SDP
import SessionMedia
import Signaling

@testable import ControlServer

/// Clients without a control connection.
extension RelayModel {
    /// Opens a subscriber of one stream; nil: of any.
    mutating func view(_ stream: String?) throws(EngineError) -> PeerID {
        if let stream, !isTaken(stream, besides: TransportID(rawValue: "")) { throw .unknownStream(stream) }
        if let codec = stream.flatMap({ strangeCodecs[$0] }) { throw .codecMismatch(offered: [.vp8], stream: codec) }
        let id = PeerID(rawValue: makeID())
        peers[id] = Peer(isPublisher: false, wanted: stream)
        return id
    }

    mutating func open(_ request: WebRTCRequest) throws(EngineError) -> WebRTCAnswer {
        let name = request.stream ?? ""
        let id = request.direction == .publish ? try publish([name]) : try view(request.stream)
        if !request.startsMuted.isEmpty { muted.insert(name) }
        let relay = relay()
        return WebRTCAnswer(
            id: TransportID(id), session: self.name, stream: name, direction: request.direction,
            credentials: relay.credentials, fingerprint: relay.fingerprint, setup: relay.setup, candidates: [],
            sources: [])
    }

    mutating func open(_ request: PlainTransportRequest) throws(EngineError) -> PlainTransport {
        let name = request.stream ?? ""
        let id = request.direction == .publish ? try publish([name]) : try view(request.stream)
        return PlainTransport(
            id: TransportID(id), session: self.name, stream: name, direction: request.direction, address: "192.0.2.1",
            rtcpMux: request.rtcpMux, suite: request.suite, clientKey: .random(for: request.suite),
            relayKey: .random(for: request.suite))
    }

    mutating func snapshot(of peer: PeerID) throws(EngineError) -> WebRTCSnapshot {
        guard let found = peers[peer] else { throw .unknownTransport(peer.rawValue) }
        return WebRTCSnapshot(
            stream: found.wanted ?? found.streams.first ?? "", direction: found.isPublisher ? .publish : .subscribe,
            credentials: .random(using: &random), peer: .random(using: &random), candidates: [])
    }

    func state(of asked: [PeerID]) throws(EngineError) -> MediaState {
        guard !refusesState else { throw .stopped }
        var state = MediaState()
        state.ended = asked.filter { peers[$0] == nil }
        state.streams = streams.sorted().map { MediaState.Stream(id: StreamID(rawValue: $0), hasMedia: false) }
        return state
    }

    var subscriberCounts: [String: Int] {
        peers.values.compactMap(\.wanted).reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}
