import MediaBase

/// Control calls of plain transports.
extension Worker {
    func openPlain(_ request: PlainTransportRequest, _ quiesced: borrowing Quiesced) throws(EngineError)
        -> PlainTransport
    {
        let session = try sessions.admitting(
            request.session, makes: request.direction == .publish, peers, &counters)
        let control = PlainControl(
            configuration, advertisedAddress: parameters.plainAddress, rtpPort: rtpPort, rtcpPort: rtcpPort)
        let transport = try control.open(
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
}
