import Conference
import Logging
import MediaBase
import MediaEngine
import SessionMedia
import Signaling

extension SessionCore {
    /// Passes an event of the media plane to `Conference` and carries out the effects.
    func handle(_ event: MediaEvent) {
        perform(conference.media(event, now: time.now, wallClock: time.wall))
    }

    /// Handles an event of a relay's engine.
    func heard(_ event: StreamEvent, from relay: MediaRelay) {
        if let transport = event.transport, !clusterMedia.mayReport(relay, PeerID(transport)) { return }
        switch event {
        // A WebRTC stream is announced with its first packet, a plain stream at the end of its publisher's admission.
        case .published, .mirrored: break
        case .mediaBegan(_, let transport, let name, _):
            media.began(StreamID(rawValue: name), by: PeerID(transport))
            continueMedia()
        case .closed(_, let transport, let name):
            media.closed(StreamID(rawValue: name), by: PeerID(transport))
            continueMedia()
        case .dimensions(_, let transport, let name, let width, let height):
            let stream = StreamID(rawValue: name)
            guard media.publisher(of: stream) == PeerID(transport) else { return }
            handle(.dimensions(stream, width: width, height: height))
        case .framesReordered(_, let transport, let name):
            logger.warning(
                """
                the stream's H.264 has frames that are not sent in the order in which they are shown (B frames), so WebRTC subscribers \
                see it stutter; encode it without them (ffmpeg -bf 0, x264 bframes=0, OBS: 0 B frames)
                """, metadata: ["stream": "\(name)", "transport": "\(transport)"])
        case .trackPaused(_, let transport, let name, let kind):
            guard kind == .video, let id = media.client(of: PeerID(transport)) else { return }
            handle(.videoPaused(id, StreamID(rawValue: name)))
        case .trackResumed(_, let transport, let name, let kind):
            guard kind == .video, let id = media.client(of: PeerID(transport)) else { return }
            handle(.videoResumed(id, StreamID(rawValue: name)))
        case .unsupportedCodec(_, let transport, let name, _):
            guard let id = media.client(of: PeerID(transport)) else { return }
            handle(.codecSupported(id, StreamID(rawValue: name), false))
        case .supportedCodec(_, let transport, let name):
            guard let id = media.client(of: PeerID(transport)) else { return }
            handle(.codecSupported(id, StreamID(rawValue: name), true))
        case .activeSpeaker(_, let subsession, let name):
            // The home relay has the audio of all relays.
            guard relay == .home else { return }
            handle(.activeSpeaker(name.map { StreamID(rawValue: $0) }, in: Location(subsessionName: subsession)))
        case .peerGone(_, let transport):
            logger.info("peer lost", metadata: ["transport": "\(transport)"])
            clusterMedia.gone(PeerID(transport), now: time.now)
            media.gone(PeerID(transport))
            continueMedia()
        case .noMediaPath(_, let transport, let failure):
            var metadata: Logger.Metadata = ["transport": "\(transport)"]
            if let id = media.client(of: PeerID(transport)) { metadata["connection"] = "\(id)" }
            logger.notice("\(failure.explanation)", metadata: metadata)
        case .pipedStreamsChanged:
            clusterMedia.streamsChanged(at: relay, now: time.now)
            continueMedia()
        case .missed:
            clusterMedia.streamsChanged(at: relay, now: time.now)
            continueMedia()
            missedEvents()
        }
    }
}
