import Forwarding
import MediaBase

/// Control calls and RTCP of plain transports.
extension Worker {
    func openPlain(_ request: PlainTransportRequest, _ quiesced: borrowing Quiesced) throws(EngineError)
        -> PlainTransport
    {
        let session = try sessions.admitting(
            request.session, makes: request.direction == .publish, peers, &counters)
        let transport = try PlainControl(configuration, rtpPort: rtpPort, rtcpPort: rtcpPort).open(
            request, in: session, at: realTime(), now: time(), &plain, &inbound, &numbers, egress, &counters, quiesced)
        sessions.list(session)
        return transport
    }

    func closePlain(_ id: TransportID, session name: String, _ quiesced: borrowing Quiesced) throws(EngineError) {
        try sessions.find(name).closePlain(id, &inbound, quiesced)
    }

    /// Starts the video of a plain subscriber again at its client's request, within its budget of key frames.
    func requestKeyFrame(_ id: TransportID, session name: String, _ quiesced: borrowing Quiesced) throws(EngineError) {
        try sessions.find(name).startAgain(id, now: time(), quiesced)
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
