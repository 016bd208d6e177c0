import MediaEngine

/// Participants that exchange SRTP with plain transports of the relay, under keys from its control interface.
struct PlainParticipants: ParticipantOpener {
    func publish(_ publisher: Int, in run: LoadRun) async throws(LoadError) -> OpenParticipant {
        let media = run.media(of: publisher)
        var request = request(.publish, publisher, run)
        if media.audio != nil { request.audio = PlainTrackRequest() }
        if media.video != nil { request.video = PlainTrackRequest() }
        let transport = try await run.relay.open(request)
        return OpenParticipant(seat: { [relay = run.relay] in await relay.close(transport) }) { () throws(LoadError) in
            try PlainPublisher(
                publisher, transport, media, host: run.plan.localAddress, clock: run.clock, loss: run.loss)
        }
    }

    func subscribe(_ join: Join, in run: LoadRun) async throws(LoadError) -> OpenParticipant {
        let plan = run.plan
        let socket = try UDPSocket(host: plan.localAddress, receiveBuffer: 1 << 20)
        var request = request(.subscribe, join.publisher, run)
        request.address = plan.localAddress
        if plan.audio { request.audio = PlainTrackRequest(port: socket.port) }
        if plan.video != nil { request.video = PlainTrackRequest(port: socket.port) }
        let transport = try await run.relay.open(request)
        let feed = run.feed(
            of: join, key: transport.relayKey, audioSSRC: transport.audio?.ssrc, videoSSRC: transport.video?.ssrc)
        // The socket stays open until the relay has stopped sending to it.
        let seat: Seat = { [relay = run.relay, socket] in
            await relay.close(transport)
            _ = socket
        }
        return OpenParticipant(seat: seat, feed: feed) { () throws(LoadError) in
            try PlainSubscriber(join.index, transport, socket, joined: join.started, feed: feed, loss: run.loss)
        }
    }

    private func request(_ direction: TransportDirection, _ publisher: Int, _ run: LoadRun) -> PlainTransportRequest {
        var request = PlainTransportRequest(direction: direction, session: run.plan.session(ofPublisher: publisher))
        request.stream = run.plan.stream(ofPublisher: publisher)
        request.suite = run.plan.suite
        request.rtcpMux = true
        return request
    }
}
