import Forwarding
import MediaBase

/// Control calls and RTCP of plain transports.
extension Worker {
    func openPlain(_ request: PlainTransportRequest, _ quiesced: borrowing Quiesced) throws(EngineError)
        -> PlainTransport
    {
        let session =
            request.direction == .subscribe
            ? try sessions.find(request.session) : try sessions.findOrMake(request.session, &counters)
        try session.admitTransport(unestablished: peers.unestablishedCount(in: session.name), &counters)
        defer { carryOut(session) }
        let control = PlainControl(configuration, rtpPort: rtpPort, rtcpPort: rtcpPort)
        let transport =
            switch request.direction {
            case .publish:
                try control.publish(
                    request, in: session, at: realTime(), now: time(), &plain, &inbound, &numbers, egress, &counters,
                    quiesced)
            case .subscribe:
                try control.subscribe(request, in: session, now: time(), &plain, &numbers, egress, quiesced)
            }
        sessions.list(session)
        return transport
    }

    func closePlain(_ id: TransportID, session name: String, _ quiesced: borrowing Quiesced) throws(EngineError) {
        let session = try sessions.find(name)
        if let transport = session.subscribers[id], transport.isPlain, !transport.isPipe {
            session.close(transport, quiesced)
        } else if let transport = session.publishers[id], transport.isPlain, !transport.isPipe {
            session.close(transport, &inbound, quiesced)
        } else {
            throw .unknownTransport(id.rawValue)
        }
        carryOut(session)
        forgetIfEmpty(session)
    }

    /// Starts the video of a plain subscriber again at its client's request, within its budget of key frames.
    func requestKeyFrame(_ id: TransportID, session name: String, _ quiesced: borrowing Quiesced) throws(EngineError) {
        let session = try sessions.find(name)
        guard let transport = session.subscribers[id], transport.isPlain, !transport.isPipe else {
            throw .unknownTransport(id.rawValue)
        }
        session.startAgain(transport, now: time(), quiesced)
        carryOut(session)
    }

    /// Receives RTCP of a plain publisher or subscriber.
    func receiveRTCP(_ bytes: UnsafeMutableRawPointer, length: Int, from: SocketAddress, now: MediaTime) {
        guard length >= 8 else {
            counters.droppedMalformedRTCP &+= 1
            return
        }
        var decrypted = length
        switch plain.authenticateRTCP(bytes, &decrypted, from: from, inbound, egress.protector) {
        case .publisher(let track):
            guard let transport = track.pointee.transport?.takeUnretainedValue() else { return }
            track.pointee.rtcpAddress = from
            transport.lastAuthentic = now
            read(bytes, decrypted) { publisherSent($0, transport, now: now) }
        case .subscriber(let transport):
            transport.starts.end()
            read(bytes, decrypted) { subscriberSent($0, transport, now: now) }
        case .unauthentic: counters.droppedUnauthenticRTCP &+= 1
        case .unknown: counters.droppedUnknownRTCP &+= 1
        }
    }
}
