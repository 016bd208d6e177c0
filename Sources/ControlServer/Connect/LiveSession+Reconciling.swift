import Conference
import Logging
import MediaBase
import MediaEngine
import SessionMedia
import Signaling

/// Recovery from lost engine events: if the event queue overflows, the session reads the engine's state instead.
extension LiveSession {
    /// Pause between tries while the engine is too busy to answer.
    private static let lookPause = Duration.milliseconds(200)

    func reconcile() async {
        logger.notice("events of the media engine were missed")
        while !conference.isEnded {
            do throws(EngineError) {
                return try await look()
            } catch {
                guard case .limitReached = error else { return }
                try? await Task.sleep(for: Self.lookPause)
            }
        }
    }

    private func look() async throws(EngineError) {
        try await lookAtTransports()
        // Publishers that begin from now on may be missing in the engine's answer.
        let plain = media.plainPublishers
        let streams = try await streamsOfEngine()
        let names = Set(streams.map { StreamID(rawValue: $0.name) })
        // Streams of WebRTC publishers end with their transports.
        for (stream, peer) in plain where !names.contains(stream) { media.closed(stream, by: peer) }
        continueMedia()
        for snapshot in streams {
            let stream = StreamID(rawValue: snapshot.name)
            if let peer = media.publisher(of: stream),
                [snapshot.audio, snapshot.video].contains(where: { $0.map { $0.packets > 0 } ?? false })
            {
                media.began(stream, by: peer)
                // The stream is announced before its frame size.
                continueMedia()
            }
            if let width = snapshot.video?.width, let height = snapshot.video?.height {
                report(.dimensions(stream, width: width, height: height))
            }
        }
        let speaking = streams.filter(\.isSpeaking).map { StreamID(rawValue: $0.name) }
        for place in media.places {
            report(.activeSpeaker(speaking.first { self.place(of: $0) == place }, in: place))
        }
        for client in clients.values { try await lookAtPauses(of: client) }
    }

    /// Returns the place in which a stream is heard: the main session if its publisher has no control connection.
    func place(of stream: StreamID) -> Place {
        media.owners[stream].map { media.place(of: $0) } ?? .mainSession
    }

    private func streamsOfEngine() async throws(EngineError) -> [StreamSnapshot] {
        do throws(EngineError) {
            return try await environment.engine.streams(session: engineName)
        } catch {
            guard case .unknownSession = error else { throw error }
            return []
        }
    }

    private func lookAtTransports() async throws(EngineError) {
        for peer in media.webRTCPeers {
            do throws(EngineError) {
                _ = try await environment.engine.peerStatistics(TransportID(peer), session: engineName)
            } catch {
                switch error {
                case .unknownTransport, .unknownSession: gone(peer)
                default: throw error
                }
            }
        }
    }

    /// Reports video tracks that are subscribed to and that the path does not carry, or carries again.
    private func lookAtPauses(of client: LiveConnection) async throws(EngineError) {
        let wishes = conference.subscriptions(of: client.id).filter(\.preferences.video).map(\.stream)
        guard !wishes.isEmpty, let peer = media.subscriber(of: client.id) else { return }
        let tracks: [PeerStatistics.Track]
        do throws(EngineError) {
            tracks = try await environment.engine.peerStatistics(TransportID(peer), session: engineName).subscribed
        } catch {
            guard case .unknownTransport = error else { throw error }
            // A separate event reports the end of the transport.
            return
        }
        for track in tracks where track.kind == .video {
            let stream = StreamID(rawValue: track.stream)
            guard wishes.contains(stream), let isPaused = track.isPaused else { continue }
            report(isPaused ? .videoPaused(client.id, stream) : .videoResumed(client.id, stream))
        }
    }
}
