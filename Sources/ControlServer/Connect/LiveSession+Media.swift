import Conference
import Logging
import MediaBase
import MediaEngine
import SessionMedia
import Signaling

extension LiveSession {
    /// Passes an event of the media plane to `Conference` and carries out the effects.
    func report(_ event: MediaEvent) {
        perform(conference.media(event, now: ControlClock.now, wallClock: ControlClock.wall))
    }

    // MARK: events of the media engine

    /// Queues an event of the engine without blocking; the session handles it in turn.
    nonisolated func post(_ event: StreamEvent) {
        let (isNews, missed) = inbox.post(event)
        if missed > 0 { environment.statistics.eventsMissed(missed) }
        if isNews { Task { await hear() } }
    }

    private func hear() {
        while let event = inbox.take() { heard(event) }
    }

    func heard(_ event: StreamEvent) {
        switch event {
        case .published(_, let transport, let name):
            // A WebRTC publisher's stream is announced with its first packet.
            guard publishers[StreamID(rawValue: name)]?.isPlain == true else { return }
            announce(StreamID(rawValue: name), by: transport)
        case .mediaBegan(_, let transport, let name, _): announce(StreamID(rawValue: name), by: transport)
        case .closed(_, let transport, let name): closed(StreamID(rawValue: name), transport)
        case .dimensions(_, let transport, let name, let width, let height):
            let stream = StreamID(rawValue: name)
            guard isCurrent(transport, of: stream) else { return }
            report(.dimensions(stream, width: width, height: height))
        case .trackPaused(_, let transport, let name, let kind):
            guard kind == .video, let id = transports[transport] else { return }
            report(.videoPaused(id, StreamID(rawValue: name)))
        case .trackResumed(_, let transport, let name, let kind):
            guard kind == .video, let id = transports[transport] else { return }
            report(.videoResumed(id, StreamID(rawValue: name)))
        case .unsupportedCodec(_, let transport, let name, _):
            guard let id = transports[transport] else { return }
            report(.codecSupported(id, StreamID(rawValue: name), false))
        case .supportedCodec(_, let transport, let name):
            guard let id = transports[transport] else { return }
            report(.codecSupported(id, StreamID(rawValue: name), true))
        case .activeSpeaker(_, let room, let name):
            report(.activeSpeaker(name.map { StreamID(rawValue: $0) }, in: Place(roomName: room)))
        case .peerGone(_, let transport): gone(transport)
        case .noMediaPath(_, let transport, let failure):
            var metadata: Logger.Metadata = ["transport": "\(transport)"]
            if let id = transports[transport] { metadata["connection"] = "\(id)" }
            logger.notice("\(failure.explanation)", metadata: metadata)
        case .missed: Task { await reconcile() }
        }
    }

    /// Returns the transport that feeds the stream now. Its publisher may have reconnected on another one.
    func transport(of stream: StreamID) -> TransportID? {
        publishers[stream]?.transport ?? media.publisher(of: stream).map { TransportID($0) }
    }

    private func isCurrent(_ transport: TransportID, of stream: StreamID) -> Bool {
        self.transport(of: stream) == transport
    }

    func announce(_ stream: StreamID, by transport: TransportID) {
        if publishers[stream]?.transport == transport {
            guard let owner = media.owners[stream], let kinds = media.kinds[stream] else { return }
            report(.published(owner, stream, hasAudio: kinds.contains(.audio), hasVideo: kinds.contains(.video)))
            reportRecording(of: stream)
        } else {
            media.began(stream, by: PeerID(transport))
            continueMedia()
        }
    }

    func closed(_ stream: StreamID, _ transport: TransportID) {
        guard let publisher = publishers[stream] else {
            media.closed(stream, by: PeerID(transport))
            return continueMedia()
        }
        guard publisher.transport == transport else { return }
        publishers[stream] = nil
        transports.remove(transport)
        report(.publisherLeft(publisher.connection, .left))
    }

    func gone(_ transport: TransportID) {
        if let publisher = publishers.first(where: { $0.value.transport == transport }) {
            transports.remove(transport)
            publishers[publisher.key] = nil
            report(.publisherLeft(publisher.value.connection, .networkLost))
        } else if let id = transports[transport], viewers[id]?.transport == transport {
            viewerLeft(id)
        } else {
            logger.info("peer lost", metadata: ["transport": "\(transport)"])
            media.gone(PeerID(transport))
            continueMedia()
        }
    }
}
