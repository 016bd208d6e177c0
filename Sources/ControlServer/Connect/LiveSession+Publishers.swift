import Conference
import Logging
import MediaBase
import MediaEngine
import Signaling

/// WHIP and plain SRTP: publishers that are users like others, without signalling of their own.
extension LiveSession {
    /// Makes a user of kind `publisher` and holds its stream's place. If a publisher has the name already, it gives way to one that may take
    /// it over (`Conference.takeOver`).
    ///
    /// - Parameter name: of the stream, and its id; made up where nil.
    func admitPublisher(
        _ visitor: Visitor, _ name: String?, kinds: Set<MediaKind>, isPlain: Bool
    ) -> Result<PublisherTicket, SignalingError> {
        guard !isForgotten else { return .failure(SignalingError(.sessionEnded)) }
        let stream = StreamID(rawValue: name ?? Secret.id().lowercased())
        if owners[stream] != nil { return takeOver(stream, visitor, kinds: kinds, isPlain: isPlain) }
        let leases: PublisherLeases
        do throws(SignalingError) {
            leases = try leasePublisher(visitor.holder)
        } catch {
            forgetIfVacant()
            return .failure(error)
        }
        let admission = visitor.admission(as: stream.rawValue, isPublisher: true)
        let connection = admission.connection
        let join: Join
        do {
            join = try environment.passwords.attempt(
                visitor.password, from: visitor.address, token: admission.token, at: key
            ) {
                conference.join(admission, now: ControlClock.now, wallClock: ControlClock.wall)
            }.get()
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
            return .success(
                PublisherTicket(
                    liveSession: self, connection: connection, plan: plan, isPlain: isPlain, leases: leases))
        }
    }

    /// The engine has its transport. Mutes are in force before the client can know where to send.
    ///
    /// - Parameter kinds: that it turned out to have; nil: those of the ticket.
    /// - Throws: where the rules have ended it meanwhile; its transport is closed then.
    func opened(
        _ ticket: PublisherTicket, _ transport: TransportID, kinds: Set<MediaKind>? = nil
    ) async throws(SignalingError) {
        let stream = ticket.plan.streams[0].id
        guard owners[stream] == ticket.connection else { throw await overMeanwhile(ticket, transport) }
        if let kinds { self.kinds[stream] = kinds }
        publishers[stream] = BarePublisher(
            connection: ticket.connection, transport: transport, isPlain: ticket.isPlain,
            lease: ticket.leases.participant)
        transports.insert(transport, owner: ticket.connection, lease: ticket.leases.transport)
        var plan = ticket.plan
        if let kinds {
            plan.streams[0].audioMid = kinds.contains(.audio) ? "audio" : nil
            plan.streams[0].videoMid = kinds.contains(.video) ? "video" : nil
        }
        _ = await outcome(of: begin(conference.confirmPublish(plan)))
        // Much can happen while the engine is waited for; another publisher may even have the name by now.
        guard publishers[stream]?.transport == transport else { throw await overMeanwhile(ticket, transport) }
        publishers[stream]?.isOpen = true
        // A plain stream is there with its transport.
        if ticket.isPlain {
            heard(.published(session: engineName, transport: transport, stream: ticket.stream))
        }
    }

    /// The rules have ended a publisher while the engine was asked. Returns when its transport is closed, whoever closes it.
    private func overMeanwhile(_ ticket: PublisherTicket, _ transport: TransportID) async -> SignalingError {
        try? await close(transport, isPlain: ticket.isPlain).finish()
        return endedMeanwhile
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
        guard let connection = transports.remove(transport) else { return }
        for (stream, publisher) in publishers where publisher.transport == transport { publishers[stream] = nil }
        let effects = conference.media(
            .publisherLeft(connection, .left), now: ControlClock.now, wallClock: ControlClock.wall)
        _ = await outcome(of: begin(effects))
    }

    /// The rules end a publisher.
    func closePublisher(_ connection: ConnectionID) -> [EngineCall] {
        var calls: [EngineCall] = []
        for (stream, publisher) in publishers where publisher.connection == connection {
            publishers[stream] = nil
            transports.remove(publisher.transport)
            calls.append(close(publisher.transport, isPlain: publisher.isPlain))
        }
        return calls
    }

    /// Why somebody without signalling was let in, and is not in any more.
    var endedMeanwhile: SignalingError {
        // It was removed, its token was, or a password was set.
        conference.isEnded ? SignalingError(.sessionEnded) : SignalingError(.notPermitted)
    }

    func close(_ transport: TransportID, isPlain: Bool) -> EngineCall {
        isPlain
            ? environment.engine.beginClosePlain(transport, session: engineName)
            : environment.engine.beginCloseWebRTC(transport, session: engineName)
    }
}
