internal import Conference
internal import Logging
internal import MediaBase
internal import MediaEngine
internal import Signaling

/// WHIP and plain SRTP: publishers that are users like others, without signalling of their own.
extension Room {
    /// Makes a user of kind `publisher` and holds its stream's place.
    ///
    /// - Parameter name: of the stream, and its id; made up where nil.
    func admitPublisher(
        _ name: String?, kinds: Set<MediaKind>, isPlain: Bool, token: VerifiedToken?
    ) -> Result<PublisherTicket, SignalingError> {
        guard !isForgotten else { return .failure(SignalingError(.sessionEnded)) }
        let stream = StreamID(rawValue: name ?? Secret.id().lowercased())
        guard owners[stream] == nil else {
            return .failure(
                SignalingError(.streamExists, "the session has a stream \"\(stream)\" already", field: "stream"))
        }
        let connection = ConnectionID(rawValue: Secret.id())
        let admission = Admission(
            connection: connection, name: stream.rawValue, identity: token?.identity, data: token?.data,
            kind: .publisher, capabilities: token?.capabilities ?? Capabilities(canPublish: true),
            token: (token?.fingerprint).map { TokenFingerprint(rawValue: $0) }, isTrusted: true)
        let join: Join
        do {
            join = try conference.join(admission, now: ControlClock.now, wallClock: ControlClock.wall).get()
        } catch {
            forgetIfVacant()
            return .failure(error)
        }
        perform(join.effects)
        let wanted = PublishRequest.Stream(
            name: stream.rawValue, audioMid: kinds.contains(.audio) ? "audio" : nil,
            videoMid: kinds.contains(.video) ? "video" : nil)
        switch conference.preparePublish([wanted], from: connection, newIDs: [stream]) {
        case .failure(let error):
            report(.publisherLeft(connection, .left))
            return .failure(error)
        case .success(let plan):
            owners[stream] = connection
            self.kinds[stream] = kinds
            return .success(PublisherTicket(room: self, connection: connection, plan: plan, isPlain: isPlain))
        }
    }

    /// The engine has its transport. Mutes are in force before the client can know where to send.
    ///
    /// - Parameter kinds: that it turned out to have; nil: those of the ticket.
    func opened(_ ticket: PublisherTicket, _ transport: TransportID, kinds: Set<MediaKind>? = nil) async {
        await inOrder {
            let stream = ticket.plan.streams[0].id
            if let kinds { self.kinds[stream] = kinds }
            guard owners[stream] == ticket.connection else {
                return await close(transport, isPlain: ticket.isPlain)
            }
            publishers[stream] = BarePublisher(
                connection: ticket.connection, transport: transport, isPlain: ticket.isPlain)
            transports[transport] = ticket.connection
            perform(conference.confirmPublish(ticket.plan))
        }
        // A plain stream is there with its transport.
        if ticket.isPlain { heard(.published(session: engineName, stream: ticket.stream)) }
    }

    /// The engine has refused it.
    func refused(_ ticket: PublisherTicket) {
        for stream in ticket.plan.streams where owners[stream.id] == ticket.connection {
            owners[stream.id] = nil
            kinds[stream.id] = nil
        }
        report(.publisherLeft(ticket.connection, .left))
    }

    /// Its own door has closed it. Returns when its name is free again.
    func publisherClosed(_ transport: TransportID) async {
        guard let connection = transports.removeValue(forKey: transport) else { return }
        for (stream, publisher) in publishers where publisher.transport == transport { publishers[stream] = nil }
        report(.publisherLeft(connection, .left))
        await settle()
    }

    /// The rules end a publisher.
    func closePublisher(_ connection: ConnectionID) async {
        for (stream, publisher) in publishers where publisher.connection == connection {
            publishers[stream] = nil
            transports[publisher.transport] = nil
            await close(publisher.transport, isPlain: publisher.isPlain)
        }
    }

    private func close(_ transport: TransportID, isPlain: Bool) async {
        if isPlain {
            try? await environment.engine.closePlain(transport, session: engineName)
        } else {
            try? await environment.engine.closeWebRTC(transport, session: engineName)
        }
    }
}
