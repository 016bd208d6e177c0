import MediaBase
import MediaEngine
import SDP
import Signaling

extension TrackKind {
    init(_ kind: MediaKind) { self = kind == .audio ? .audio : .video }
}

extension MediaKind {
    init(_ kind: TrackKind) { self = kind == .audio ? .audio : .video }
}

extension StreamPreferences {
    init(_ preferences: SubscriptionPreferences) {
        self.init(
            audio: preferences.audio, video: preferences.video, width: preferences.width, height: preferences.height,
            frameRate: preferences.frameRate, priority: preferences.priority,
            maximumWidth: preferences.maximumWidth, maximumHeight: preferences.maximumHeight)
    }
}

extension SignalingError {
    init(_ error: SubscribeNegotiationError) {
        switch error {
        case .alreadySubscribed: self.init(.alreadySubscribed, error.description)
        case .notSubscribed: self.init(.notSubscribed, error.description)
        case .limitReached: self.init(.limitReached, error.description, limit: "limit.subscriptions")
        case .staleOffer: self.init(.staleOffer, error.description, field: "revision")
        case .answer(let error): self.init(Problem(error))
        case .transportChanged: self.init(.unusableSDP, error.description, field: "sdp")
        }
    }
}

extension StatisticsAnswer.Track {
    init(_ track: PeerStatistics.Track) {
        self.init(
            stream: StreamID(rawValue: track.stream), kind: TrackKind(track.kind), packets: track.packets,
            bytes: track.bytes, lost: track.lost, bitrate: Int(track.bitrate.rawValue),
            jitter: track.jitter?.milliseconds, encoding: track.encoding?.rawValue,
            temporalLayer: track.temporalLayer, isPaused: track.isPaused, width: track.width, height: track.height)
    }
}

extension WebRTCAnswer {
    /// Description of the relay's side for an SDP answer.
    var relay: RelayDescription {
        RelayDescription(
            credentials: credentials, fingerprint: fingerprint, cryptos: crypto.map { [$0] } ?? [], setup: setup,
            candidates: candidates)
    }
}
