import Conference
import Logging
import MediaBase
import MediaEngine
import SessionMedia
import Signaling

/// Publishers by WHIP and plain SRTP: participants without a control connection.
extension LiveSession {
    /// Creates a participant of kind `publisher` and reserves the name of its stream. If a publisher has the name already, a visitor that
    /// may take it over (`Conference.takeOver`) replaces it.
    ///
    /// - Parameter name: name and id of the stream; nil: a random one.
    func admitPublisher(
        _ visitor: Visitor, _ name: String?, kinds: Set<MediaKind>, isPlain: Bool
    ) -> Result<PublisherTicket, SignalingError> {
        guard !isForgotten else { return .failure(SignalingError(.sessionEnded)) }
        let stream = StreamID(rawValue: name ?? Secret.id().lowercased())
        if media.owners[stream] != nil { return takeOver(stream, visitor, kinds: kinds, isPlain: isPlain) }
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
            media.own(stream, by: connection, kinds: kinds)
            return .success(
                PublisherTicket(
                    liveSession: self, connection: connection, plan: plan, isPlain: isPlain, leases: leases))
        }
    }

    /// Registers the transport that the engine opened. Mutes are in force before the client learns the address to send to.
    ///
    /// - Parameters:
    ///   - codec: codec of the video; nil without video.
    ///   - kinds: kinds of its tracks; nil: those of the ticket.
    /// - Throws: if `Conference` ended the publisher while the engine was awaited; its transport is then closed.
    func opened(
        _ ticket: PublisherTicket, _ transport: TransportID, codec: VideoCodec?, kinds: Set<MediaKind>? = nil
    ) async throws(SignalingError) {
        let stream = ticket.plan.streams[0].id
        guard media.owners[stream] == ticket.connection else { throw await overMeanwhile(ticket, transport) }
        if let kinds { media.own(stream, by: ticket.connection, kinds: kinds) }
        publishers[stream] = BarePublisher(
            connection: ticket.connection, transport: transport, isPlain: ticket.isPlain,
            lease: ticket.leases.participant)
        transports.insert(transport, owner: ticket.connection, lease: ticket.leases.transport)
        var plan = ticket.plan
        plan.streams[0].codec = codec
        if let kinds {
            plan.streams[0].audioMid = kinds.contains(.audio) ? "audio" : nil
            plan.streams[0].videoMid = kinds.contains(.video) ? "video" : nil
        }
        let last = media.lastTicket
        perform(conference.confirmPublish(plan))
        _ = await outcome(after: last)
        // While the engine was awaited, the publisher may have ended, and another may have the name by now.
        guard publishers[stream]?.transport == transport else { throw await overMeanwhile(ticket, transport) }
        publishers[stream]?.isOpen = true
        // A plain stream is announced as soon as its transport is open.
        if ticket.isPlain {
            heard(.published(session: engineName, transport: transport, stream: ticket.stream))
        }
    }

    /// Closes the transport of a publisher that ended while the engine was awaited. Returns when it is closed, even if another call closes
    /// it.
    private func overMeanwhile(_ ticket: PublisherTicket, _ transport: TransportID) async -> SignalingError {
        await end(transport, isPlain: ticket.isPlain)
        return endedMeanwhile
    }

    /// Releases the reservations of a publisher that the engine refused.
    func refused(_ ticket: PublisherTicket) {
        for stream in ticket.plan.streams where media.owners[stream.id] == ticket.connection {
            media.disown(stream.id)
        }
        report(.publisherLeft(ticket.connection, .left))
    }

    /// Removes a publisher after its endpoint has closed the transport. Returns when its name is free again.
    func publisherClosed(_ transport: TransportID) async {
        guard let connection = transports.remove(transport) else { return }
        for (stream, publisher) in publishers where publisher.transport == transport { publishers[stream] = nil }
        let last = media.lastTicket
        report(.publisherLeft(connection, .left))
        _ = await outcome(after: last)
    }

    /// Closes the transport of a publisher that `Conference` ended.
    func closePublisher(_ connection: ConnectionID) {
        for (stream, publisher) in publishers where publisher.connection == connection {
            publishers[stream] = nil
            transports.remove(publisher.transport)
            media.close(PeerID(publisher.transport), isPlain: publisher.isPlain)
        }
    }

    /// Error for a publisher or subscriber without a control connection that was admitted and has ended since.
    var endedMeanwhile: SignalingError {
        // It was removed, its token was revoked, or a password was set.
        conference.isEnded ? SignalingError(.sessionEnded) : SignalingError(.notPermitted)
    }

    /// Closes a transport. Returns when it is closed, even if another call closes it.
    func end(_ transport: TransportID, isPlain: Bool) async {
        let last = media.lastTicket
        media.close(PeerID(transport), isPlain: isPlain)
        _ = await outcome(after: last)
    }

    func close(_ transport: TransportID, isPlain: Bool) -> EngineCall {
        isPlain
            ? environment.engine.beginClosePlain(transport, session: engineName)
            : environment.engine.beginCloseWebRTC(transport, session: engineName)
    }
}
