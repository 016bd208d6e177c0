import Forwarding
import MediaBase
import RTP
import Transport

/// Authentic RTCP, and the requests of the relay to publishers. This is not the packet path, so that arrays are allowed.
extension Worker {
    // MARK: inbound

    func read(_ bytes: UnsafeMutableRawPointer, _ length: Int, _ body: (RTCPPacket) -> Void) {
        do {
            let compound = try RTCPCompound(parsing: UnsafeRawBufferPointer(start: bytes, count: length))
            counters.rtcpReceived &+= 1
            for packet in compound { body(packet) }
        } catch {
            counters.droppedMalformedRTCP &+= 1
        }
    }

    /// Handles a packet of a publisher. A plain publisher that sends BYE may return under the same SSRC: its transport remains until it is
    /// deleted or times out.
    func publisherSent(_ packet: RTCPPacket, _ transport: PublishTransport, now: MediaTime) {
        guard packet.kind == .senderReport else { return }
        guard let report = try? SenderReport(parsing: packet) else { return counters.droppedMalformedRTCP &+= 1 }
        guard let index = transport.tracks.first(where: { inbound[$0].pointee.ssrc == report.sender }) else { return }
        let track = inbound[index]
        transport.session.receive(ntp: report.ntpTime, timestamp: report.rtpTimestamp, of: track, now: now)
        links.append(LinkRecord(report, of: track, now: now), to: transport.session.parts.receivers)
        carryOut(transport.session)
    }

    func subscriberSent(_ packet: RTCPPacket, _ transport: SubscribeTransport, now: MediaTime) {
        let request: SubscriberRequest?
        do {
            request = try SubscriberRequest(packet)
        } catch {
            return counters.droppedMalformedRTCP &+= 1
        }
        switch request {
        case .packets(let sequences, let ssrc):
            counters.nacksReceived &+= UInt64(sequences.count)
            let wanted = transport.session.retransmission(sequences, of: ssrc, to: transport, now: now)
            #if DEBUG
                if faults.ignoresNACKs { return }
            #endif
            guard let wanted else { return }
            let sent = egress.retransmit(
                wanted.sequences, to: wanted.track, of: wanted.producer, in: transport.session,
                percent: UInt64(configuration.limits.retransmissionPercent), now: now)
            allocateSlowed()
            transport.decisions.count(.packetsSentAgain, stream: wanted.track.streamName, sent, now: now)
        case .keyFrames(let ssrcs):
            for ssrc in ssrcs {
                counters.keyFrameRequestsReceived &+= 1
                transport.session.requestKeyFrame(of: ssrc, for: transport, now: now)
            }
            carryOut(transport.session)
        case nil: break
        }
    }

    // MARK: requests to publishers

    func requestKeyFrame(of producer: Producer, isAwaited: Bool = false) {
        #if DEBUG
            guard let producer = faults.keyFrameSource(of: producer, sessions, inbound) else { return }
        #endif
        inbound.requestKeyFrame(of: producer, isAwaited: isAwaited)
    }

    /// Serves a key frame request of another part of a session.
    func requestKeyFrame(ofTrack number: UInt64, session name: String, isAwaited: Bool) {
        guard let producer = sessions[name]?.encoding(ofTrack: number, inbound) else { return }
        requestKeyFrame(of: producer, isAwaited: isAwaited)
    }

    /// Sends the requests for missing packets and key frames that are due.
    func sendRequests(_ now: MediaTime) {
        for request in inbound.takeRequests(now: now) {
            switch request {
            case .compound(let bytes, let missing, let producer, let transport):
                counters.nacksSent &+= UInt64(missing)
                if missing == 0 { counters.keyFrameRequestsSent &+= 1 }
                egress.sendRTCP(bytes, to: producer, of: transport, peers, inbound)
            case .keyFrame(let track, let session, let isAwaited, let worker):
                _ = totals.post(
                    { $0.requestKeyFrame(ofTrack: track, session: session, isAwaited: isAwaited) }, to: worker,
                    isUrgent: true)
            }
        }
    }
}
