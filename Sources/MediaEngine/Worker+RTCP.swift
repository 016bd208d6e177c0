import Forwarding
import MediaBase

/// Authentic RTCP, and the requests of the relay to publishers. This is not the packet path, so that arrays are allowed.
extension Worker {
    // MARK: inbound

    func handle(_ received: ReceivedRTCP, now: MediaTime) {
        for packet in received.packets {
            switch received.sender {
            case .publisher(let pipe) where packet.type == .application: receiveRates(packet, from: pipe, now: now)
            case .subscriber(let pipe) where packet.type == .application: receiveDemand(packet, of: pipe, now: now)
            case .publisher(let transport):
                let session = transport.session
                let clock = session.publisherSent(packet, transport, inbound, now: now, &counters)
                if let clock { links.append(clock, to: session.parts.receivers) }
                carryOut(session)
            case .subscriber(let transport):
                let wanted = transport.session.subscriberSent(packet, transport, now: now, &counters)
                if let wanted { retransmit(wanted, to: transport, now: now) }
                carryOut(transport.session)
                guard allocator.measure(packet, transport, now: now, &counters) else { continue }
                if let peer = peers[transport.id] { peers.schedule(peer, now: now) }
                if transport.limit != nil { adapt(pipe: transport, now: now, flush()) }
            }
        }
    }

    private func retransmit(
        _ wanted: EngineSession.Retransmission, to transport: SubscribeTransport, now: MediaTime
    ) {
        #if DEBUG
            if faults.ignoresNACKs { return }
        #endif
        egress.retransmit(
            wanted, to: transport, percent: UInt64(configuration.limits.retransmissionPercent), now: now)
        allocateSlowed()
    }

    // MARK: requests to publishers

    func requestKeyFrame(of producer: Producer, isAwaited: Bool = false) {
        #if DEBUG
            guard let producer = faults.keyFrameSource(of: producer, sessions, inbound) else { return }
        #endif
        guard !isUnneeded(producer) else { return }
        inbound.requestKeyFrame(of: producer, isAwaited: isAwaited)
    }

    /// Serves a key frame request of another part of a session.
    func requestKeyFrame(ofTrack number: UInt64, session name: String, isAwaited: Bool) {
        guard let session = sessions[name], let producer = session.encoding(ofTrack: number, inbound) else { return }
        session.noteNeed(of: producer, inbound, now: time())
        requestKeyFrame(of: producer, isAwaited: isAwaited)
    }

    /// Sends the requests for missing packets and key frames that are due.
    func sendRequests(_ now: MediaTime) {
        for request in inbound.takeRequests(now: now) {
            switch request {
            case .compound(let bytes, let missing, let producer, let transport):
                counters.nacksSent &+= UInt64(missing)
                var request = bytes
                if missing == 0 {
                    request = transport.session.demand(before: producer, of: transport, inbound, now: now) + bytes
                    counters.keyFrameRequestsSent &+= 1
                    // The relay drops the key frames of a muted track before it sees them.
                    if producer.keyFrames.isIgnored, !producer.isMuted { counters.keyFrameRequestsIgnored &+= 1 }
                }
                egress.sendRTCP(request, to: producer, of: transport, peers, inbound)
            case .keyFrame(let track, let session, let isAwaited, let worker):
                _ = totals.post(
                    { $0.requestKeyFrame(ofTrack: track, session: session, isAwaited: isAwaited) }, to: worker,
                    isUrgent: true)
            }
        }
    }
}
