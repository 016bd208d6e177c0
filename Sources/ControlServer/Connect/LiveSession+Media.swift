import Conference
import Logging
import MediaBase
import MediaEngine
import Signaling

extension LiveSession {
    /// Passes an event of the media plane to `Conference` and carries out the effects.
    func report(_ event: MediaEvent) {
        perform(conference.media(event, now: ControlClock.now, wallClock: ControlClock.wall))
    }

    /// - Returns: calls that were made to the engine; empty if the stream is gone already.
    func unpublish(_ stream: StreamID) -> [EngineCall] {
        kinds[stream] = nil
        // A stream without an owner does not exist in the engine, and another stream may use its name by now.
        guard owners.removeValue(forKey: stream) != nil else { return [] }
        if let publisher = publishers[stream] { return closePublisher(publisher.connection) }
        return [environment.engine.beginCloseStream(session: engineName, stream: stream.rawValue)]
    }

    /// Closes the peers of a client that has left the session.
    func endMedia(of client: LiveConnection) {
        for call in closePeers(of: client) { watch([MediaCall(command: .closeMedia(client.id), call: call)]) }
    }

    func closePeers(of client: LiveConnection) -> [EngineCall] {
        [closePublisher(of: client), closeSubscriber(of: client)].compactMap(\.self)
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
        // Calls in progress must be reported to `Conference` first.
        case .closed(_, let transport, let name):
            Task { await inOrder { closed(StreamID(rawValue: name), transport) } }
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
        case .peerGone(_, let transport): Task { await inOrder { gone(transport) } }
        case .noMediaPath(_, let transport, let failure):
            var metadata: Logger.Metadata = ["transport": "\(transport)"]
            if let id = transports[transport] { metadata["connection"] = "\(id)" }
            logger.notice("\(failure.explanation)", metadata: metadata)
        case .missed: Task { await reconcile() }
        }
    }

    /// Returns the transport that feeds the stream now. Its publisher may have reconnected on another one.
    func transport(of stream: StreamID) -> TransportID? {
        publishers[stream]?.transport ?? owners[stream].flatMap { clients[$0] }?.publisher?.id
    }

    private func isCurrent(_ transport: TransportID, of stream: StreamID) -> Bool {
        self.transport(of: stream) == transport
    }

    func announce(_ stream: StreamID, by transport: TransportID) {
        guard isCurrent(transport, of: stream), let owner = owners[stream], let kinds = kinds[stream] else { return }
        report(
            .published(owner, stream, hasAudio: kinds.contains(.audio), hasVideo: kinds.contains(.video)))
        reportRecording(of: stream)
    }

    func closed(_ stream: StreamID, _ transport: TransportID) {
        guard isCurrent(transport, of: stream) else { return }
        if let publisher = publishers.removeValue(forKey: stream) {
            transports.remove(publisher.transport)
            report(.publisherLeft(publisher.connection, .left))
        } else {
            report(.unpublished(stream, .reset))
        }
    }

    func gone(_ transport: TransportID) {
        guard let id = transports.remove(transport) else { return }
        if let publisher = publishers.first(where: { $0.value.transport == transport }) {
            publishers[publisher.key] = nil
            report(.publisherLeft(id, .networkLost))
        } else if viewers[id] != nil {
            viewerLeft(id)
        } else if let client = clients[id] {
            logger.info("peer lost", metadata: ["connection": "\(id)", "transport": "\(transport)"])
            if client.publisher?.id == transport {
                client.publisher = nil
                report(.reset(id, publish: true, subscribe: false))
            } else if client.subscriber?.id == transport {
                forgetSubscriber(of: client)
            }
        }
    }
}
