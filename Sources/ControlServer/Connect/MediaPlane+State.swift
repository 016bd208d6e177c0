import MediaEngine
import SessionMedia
import Signaling

extension MediaPlane {
    /// Reads the state of a session.
    /// - Parameter peers: WebRTC peers.
    func state(of peers: [PeerID], session: String) async throws(EngineError) -> MediaState {
        var state = MediaState()
        for peer in peers {
            do throws(EngineError) {
                let tracks = try await peerStatistics(TransportID(peer), session: session).subscribed
                state.video[peer] = tracks.compactMap { track -> MediaState.Video? in
                    guard track.kind == .video, let isPaused = track.isPaused else { return nil }
                    return MediaState.Video(stream: StreamID(rawValue: track.stream), isPaused: isPaused)
                }
            } catch {
                switch error {
                case .unknownTransport, .unknownSession: state.ended.append(peer)
                default: throw error
                }
            }
        }
        do throws(EngineError) {
            state.streams = try await streams(session: session).map(MediaState.Stream.init)
        } catch {
            // The engine has a session only while media is published or subscribed.
            guard case .unknownSession = error else { throw error }
        }
        return state
    }
}

extension MediaState.Stream {
    fileprivate init(_ stream: StreamSnapshot) {
        let (width, height) = (stream.video?.width, stream.video?.height)
        self.init(
            id: StreamID(rawValue: stream.name),
            hasMedia: [stream.audio, stream.video].contains { $0.map { $0.packets > 0 } ?? false },
            size: width.flatMap { width in height.map { MediaState.Size(width: width, height: $0) } },
            isSpeaking: stream.isSpeaking)
    }
}
