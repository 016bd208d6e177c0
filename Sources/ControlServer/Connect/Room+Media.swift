internal import Conference
internal import Logging
internal import MediaBase
internal import MediaEngine
internal import Signaling

extension Room {
    /// What the media plane reports, for the rules.
    func report(_ event: MediaEvent) {
        perform(conference.media(event, now: ControlClock.now, wallClock: ControlClock.wall))
    }

    /// One order of the rules. What is gone already is no fault.
    func carryOut(_ command: MediaCommand) async {
        switch command {
        case .setMuted(let stream, let kind, let isMuted):
            try? await environment.engine.setMuted(
                session: engineName, stream: stream.rawValue, kind: MediaKind(kind), muted: isMuted)
        case .unpublish(let stream): await unpublish(stream)
        case .subscribe(let id, let stream, let preferences):
            guard let client = clients[id] else { return }
            await subscribe(client, stream, preferences)
        case .updateSubscription(let id, let stream, let preferences):
            guard let client = clients[id] else { return }
            await updateSubscription(client, stream, preferences)
        case .unsubscribe(let id, let stream):
            guard let client = clients[id] else { return }
            await unsubscribe(client, stream)
        case .closeMedia(let id):
            // A client's are closed with it.
            if let client = clients[id] { await closePeers(of: client) }
            await closePublisher(id)
        }
    }

    private func unpublish(_ stream: StreamID) async {
        kinds[stream] = nil
        // One that never came to be is nothing to the engine, and its name may be another's by now.
        guard owners.removeValue(forKey: stream) != nil else { return }
        if let publisher = publishers[stream] {
            await closePublisher(publisher.connection)
        } else {
            try? await environment.engine.closeStream(session: engineName, stream: stream.rawValue)
        }
    }

    /// A client that is no longer of the room.
    func endMedia(of client: RoomClient) {
        guard client.publisher != nil || client.subscriber != nil else { return }
        Task { await inOrder { await closePeers(of: client) } }
    }

    private func closePeers(of client: RoomClient) async {
        await closePublisher(of: client)
        await closeSubscriber(of: client)
    }

    // MARK: what the engine tells

    func heard(_ event: StreamEvent) {
        switch event {
        case .published(_, let name):
            // Of WebRTC publishers the first packet is waited for.
            guard publishers[StreamID(rawValue: name)]?.isPlain == true else { return }
            announce(StreamID(rawValue: name))
        case .mediaBegan(_, let name, _): announce(StreamID(rawValue: name))
        // Not before what is being done has been told to the rules.
        case .closed(_, let name): Task { await inOrder { closed(StreamID(rawValue: name)) } }
        case .dimensions(_, let name, let width, let height):
            report(.dimensions(StreamID(rawValue: name), width: width, height: height))
        case .trackPaused(_, let transport, let name, let kind):
            guard kind == .video, let id = transports[transport] else { return }
            report(.videoPaused(id, StreamID(rawValue: name)))
        case .trackResumed(_, let transport, let name, let kind):
            guard kind == .video, let id = transports[transport] else { return }
            report(.videoResumed(id, StreamID(rawValue: name)))
        case .activeSpeaker(_, let name): report(.activeSpeaker(name.map { StreamID(rawValue: $0) }))
        case .peerGone(_, let transport): Task { await inOrder { gone(transport) } }
        }
    }

    private func announce(_ stream: StreamID) {
        guard let owner = owners[stream], let kinds = kinds[stream] else { return }
        report(
            .published(owner, stream, hasAudio: kinds.contains(.audio), hasVideo: kinds.contains(.video)))
    }

    private func closed(_ stream: StreamID) {
        if let publisher = publishers.removeValue(forKey: stream) {
            transports[publisher.transport] = nil
            report(.publisherLeft(publisher.connection, .left))
        } else {
            report(.unpublished(stream, .reset))
        }
    }

    private func gone(_ transport: TransportID) {
        guard let id = transports.removeValue(forKey: transport) else { return }
        if let publisher = publishers.first(where: { $0.value.transport == transport }) {
            publishers[publisher.key] = nil
            report(.publisherLeft(id, .networkLost))
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
