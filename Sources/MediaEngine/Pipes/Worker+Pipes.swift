import Forwarding
import MediaBase
import RTP
import SRTP
import Transport

/// Control calls of pipes.
extension Worker {
    private func end(_ id: TransportID, ssrc: SSRC = SSRC(0)) -> PipeEnd {
        PipeEnd(id: id, address: parameters.pipeAddress, port: rtpPort, ssrc: ssrc.rawValue)
    }

    private func check(_ keys: PipeKeys) throws(EngineError) {
        guard keys.areAlike else { throw .invalidRequest(field: "keys", reason: "must be of the same suite") }
    }

    /// Opens the end of a pipe at the relay that mirrors the streams.
    func openPipeReceiver(session name: String, _ keys: PipeKeys) throws(EngineError) -> PipeEnd {
        try check(keys)
        let session = try sessions.findOrMake(name, &counters)
        let pipe = PublishTransport(
            id: numbers.transport(), session: session, rtcpMux: true,
            context: IngressContext(key: keys.sender, maximumStreams: 2 * PipeFormat.maximumTracks),
            egressContext: egress.protector.makeContext(key: keys.receiver, peerKey: keys.sender),
            localSSRC: numbers.ssrc(besides: plain),
            reception: PipeReception(first: UInt32(truncatingIfNeeded: numbers.number())), now: time())
        session.publishers.insert(pipe, pipe.id)
        plain.feedback.add(pipe)
        if configuration.encodingsOnDemand { session.demandingPipes += 1 }
        sessions.list(session)
        var end = end(pipe.id, ssrc: pipe.localSSRC)
        if configuration.measuresPipes { end.sendsFeedback = true }
        return end
    }

    /// Makes the streams of a receiving pipe those of a description.
    /// - Returns: the tracks to request of the sending relay.
    func mirror(
        _ description: PipeDescription, _ id: TransportID, session name: String, from sender: PipeEnd,
        _ quiesced: borrowing Quiesced
    ) throws(EngineError) -> [PipeTrack] {
        let session = try sessions.find(name)
        guard let pipe = session.publishers[id], pipe.isPipe else { throw .unknownTransport(id.rawValue) }
        guard pipe.reception?.sender ?? sender.id == sender.id else {
            throw .invalidRequest(
                field: "sender", reason: "the pipe has another sending end: open a new pipe with new keys")
        }
        let address = try socketAddress(of: sender)
        pipe.reception?.sender = sender.id
        return session.mirror(
            description, through: pipe, address, now: time(), &plain, &inbound, &numbers, quiesced)
    }

    /// Drops the packets of mirrored streams until their next description.
    /// - Parameter quiesced: packets that arrived before the call were sent.
    func withholdMirrors(
        _ streams: [String], _ id: TransportID, session name: String, _ quiesced: borrowing Quiesced
    ) throws(EngineError) {
        let session = try sessions.find(name)
        guard let pipe = session.publishers[id], pipe.isPipe else { throw .unknownTransport(id.rawValue) }
        session.withholdMirrors(streams, of: pipe, inbound)
    }

    /// Opens the end of a pipe at the relay that the streams are published at. It sends nothing before `send`.
    func openPipeSender(session name: String, _ keys: PipeKeys, to receiver: PipeEnd) throws(EngineError) -> PipeEnd {
        try check(keys)
        let session = try sessions.find(name)
        let address = try socketAddress(of: receiver)
        guard !plain.hasPipe(SSRC(receiver.ssrc)) else { throw .ssrcInUse(receiver.ssrc) }
        let context = egress.protector.makeContext(key: keys.sender, peerKey: keys.receiver)
        var opened = EgressPath(address: address, context: context, tagLength: keys.sender.suite.tagLength)
        opened.socket = egress.socket(for: PeerAddress(address), .rtp)
        let target = SubscriptionTarget(
            kind: .video, path: session.router.open(opened), address: address, rtcpAddress: address, payloadType: nil,
            codec: nil, ssrc: nil, rtx: nil)
        let pipe = SubscribeTransport(
            id: numbers.transport(), session: session, rtcpMux: true, egressContext: context, targets: [target],
            wantsAllStreams: false, isPipe: true, openedAt: time())
        session.open(pipe)
        if configuration.measuresPipes, receiver.sendsFeedback == true { pipe.measurePipe(now: time()) }
        plain.add(pipe: pipe, ssrc: SSRC(receiver.ssrc))
        return end(pipe.id)
    }

    /// Returns the streams that a session publishes at this relay. The next change of them is reported by `StreamEvent.pipedStreamsChanged`.
    func pipeDescription(session name: String) throws(EngineError) -> PipeDescription {
        try sessions.find(name).describeForPipes(inbound)
    }

    /// Sends the requested tracks through a pipe, and no others.
    func send(
        _ tracks: [PipeTrack], _ id: TransportID, session name: String, _ quiesced: borrowing Quiesced
    ) throws(EngineError) {
        let session = try sessions.find(name)
        guard let pipe = session.subscribers[id], pipe.isPipe else { throw .unknownTransport(id.rawValue) }
        session.send(tracks, through: pipe, now: time(), inbound, &numbers, quiesced)
    }

    /// Closes an end of a pipe, and ends the mirrors that it feeds.
    func closePipe(_ id: TransportID, session name: String, _ quiesced: borrowing Quiesced) throws(EngineError) {
        let session = try sessions.find(name)
        if let pipe = session.subscribers[id], pipe.isPipe {
            session.close(pipe, quiesced)
        } else if let pipe = session.publishers[id], pipe.isPipe {
            session.endMirrors(of: pipe, &inbound, quiesced)
        } else {
            throw .unknownTransport(id.rawValue)
        }
    }

    private func socketAddress(of end: PipeEnd) throws(EngineError) -> SocketAddress {
        let isIPv6 = SocketAddress(configuration.bindAddress, port: 0)?.isIPv6
        guard end.port > 0, let address = SocketAddress(end.address, port: end.port), address.isIPv6 == isIPv6 else {
            throw .addressUnusable(
                address: "\(end.address):\(end.port)",
                reason: "must be a numeric address of the IP family that the relay is bound to, with a port")
        }
        return address
    }
}
