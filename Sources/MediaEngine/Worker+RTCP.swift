import CLinuxNet
import Forwarding
import MediaBase
import RTP
import SRTP
import Transport

/// RTCP in both directions, and housekeeping. This is not the packet path, so that arrays are allowed.
extension Worker {
    static let firstReportDelay = MediaTime.milliseconds(100)
    /// Interval of housekeeping and reports of a session in which no packets arrive: the minimum interval of RFC 3550 section 6.2. Visits to
    /// such sessions are due at its multiples, so that they share one wake-up.
    private static let quietInterval = MediaTime.seconds(5)

    // MARK: inbound

    func receiveRTCP(
        _ bytes: UnsafeMutableRawPointer, length: Int, from: SocketAddress, now: MediaTime
    ) {
        guard length >= 8 else {
            counters.droppedMalformedRTCP &+= 1
            return
        }
        var plain = length
        switch self.plain.authenticateRTCP(bytes, &plain, from: from, inbound, egress.protector) {
        case .publisher(let track):
            let transport = track.pointee.transport.takeUnretainedValue()
            track.pointee.rtcpAddress = from
            transport.lastAuthentic = now
            read(bytes, plain) { publisherSent($0, transport, in: transport.session, now: now) }
        case .subscriber(let transport):
            transport.starts.end()
            read(bytes, plain) { subscriberSent($0, transport, in: transport.session, now: now) }
        case .unauthentic: counters.droppedUnauthenticRTCP &+= 1
        case .unknown: counters.droppedUnknownRTCP &+= 1
        }
    }

    func read(_ bytes: UnsafeMutableRawPointer, _ length: Int, _ body: (RTCPPacket) -> Void) {
        do {
            let compound = try RTCPCompound(parsing: UnsafeRawBufferPointer(start: bytes, count: length))
            counters.rtcpReceived &+= 1
            for packet in compound { body(packet) }
        } catch {
            counters.droppedMalformedRTCP &+= 1
        }
    }

    func publisherSent(_ packet: RTCPPacket, _ transport: PublishTransport, in session: EngineSession, now: MediaTime) {
        switch packet.kind {
        case .senderReport:
            guard let report = try? SenderReport(parsing: packet) else { return counters.droppedMalformedRTCP &+= 1 }
            guard let index = transport.tracks.first(where: { inbound[$0].pointee.ssrc == report.sender }) else {
                return
            }
            let producer = inbound[index].pointee.producer.takeUnretainedValue()
            let isFirst = producer.clock.ntp == nil
            producer.clock.report(ntp: report.ntpTime, timestamp: report.rtpTimestamp, now: now)
            // Subscribers need a sender report to synchronise audio and video.
            if isFirst { _ = self.report(toSubscribersOf: session, now) }
        // A plain publisher that sends BYE may return under the same SSRC: its transport remains until it is deleted or times out.
        case .bye, .receiverReport, .sdes, .genericNACK, .transportCC, .pli, .fir, .remb, .xr, .other:
            break
        }
    }

    func subscriberSent(
        _ packet: RTCPPacket, _ transport: SubscribeTransport, in session: EngineSession, now: MediaTime
    ) {
        switch packet.kind {
        case .genericNACK:
            guard let nack = try? GenericNACK(parsing: packet) else { return counters.droppedMalformedRTCP &+= 1 }
            counters.nacksReceived &+= UInt64(nack.sequences.count)
            guard let (track, producer) = subscription(nack.media, transport, session) else { return }
            transport.decisions.count(.packetsWanted, stream: track.streamName, nack.sequences.count, now: now)
            #if DEBUG
                if ignoresNACKs { return }
            #endif
            let sent = egress.retransmit(
                wanted(nack.sequences, track, now), to: track, of: producer, in: session,
                percent: UInt64(configuration.limits.retransmissionPercent), now: now)
            allocateSlowed()
            transport.decisions.count(.packetsSentAgain, stream: track.streamName, sent, now: now)
        case .pli:
            guard let pli = try? PLI(parsing: packet) else { return counters.droppedMalformedRTCP &+= 1 }
            wantKeyFrame(pli.media, transport, session, now)
        case .fir:
            guard let fir = try? FIR(parsing: packet) else { return counters.droppedMalformedRTCP &+= 1 }
            for entry in fir.entries { wantKeyFrame(entry.source, transport, session, now) }
        case .senderReport, .receiverReport, .sdes, .bye, .transportCC, .remb, .xr, .other:
            break
        }
    }

    private func subscription(
        _ ssrc: SSRC, _ transport: SubscribeTransport, _ session: EngineSession
    ) -> (SubscribedTrack, Producer)? {
        // Packets from before two participants were separated are not retransmitted afterwards.
        guard let track = transport.track(of: ssrc), !track.isParted,
            let producer = session.router.feeder(path: track.path, ssrc: ssrc, expected: track.producer)
                ?? track.producer
        else { return nil }
        return (track, producer)
    }

    /// Excludes sequence numbers abandoned by a downgrade.
    private func wanted(_ sequences: [SequenceNumber], _ track: SubscribedTrack, _ now: MediaTime) -> [SequenceNumber] {
        guard let abandoned = track.abandoned, now - abandoned.at < .seconds(3) else { return sequences }
        return sequences.filter { $0.distance(from: abandoned.through) > 0 }
    }

    private func wantKeyFrame(_ ssrc: SSRC, _ transport: SubscribeTransport, _ session: EngineSession, _ now: MediaTime)
    {
        counters.keyFrameRequestsReceived &+= 1
        guard let (track, producer) = subscription(ssrc, transport, session), producer.kind == .video else { return }
        transport.decisions.count(.keyFrameWanted, stream: track.streamName, 1, now: now)
        _ = serveKeyFrame(to: track, of: producer, in: session, now: now)
    }

    /// Requests a key frame from the producer that feeds a track, if the subscriber's budget allows it.
    /// - Returns: false if the budget does not allow it, or if a request was served just before.
    func serveKeyFrame(to track: SubscribedTrack, of producer: Producer, in session: EngineSession, now: MediaTime)
        -> Bool
    {
        guard let start = session.router.start(path: track.path, producer: producer) else { return false }
        switch track.keyFrames.judge(starts: start.count, isWaiting: start.isAwaited, now: now) {
        case .served:
            requestKeyFrame(of: producer, isAwaited: start.isAwaited)
            return true
        case .repeated: return false
        case .refused:
            counters.keyFrameRequestsLimited &+= 1
            return false
        }
    }

    // MARK: timers

    /// Sends reports, closes silent publishers and drops closed taps.
    func housekeeping(_ now: MediaTime) {
        let quiesced = flush()
        for session in housekeepingSchedule.takeSlice(of: sessions, isSorted: virtual != nil, now: now) {
            lookAfter(session, now, quiesced)
            session.visitDue = nextVisit(of: session, now)
        }
        housekeepingSchedule.finish(sessions, now: now)
    }

    /// Returns the time of the next visit to a session that was visited now: the next round while packets arrive or a timer runs. Streams that
    /// never had packets have no timers at all.
    private func nextVisit(of session: EngineSession, _ now: MediaTime) -> MediaTime {
        guard session.isQuiet(now: now) else { return now }
        let beat = Self.quietInterval.rawValue
        let timeout = configuration.limits.publisherTimeout
        var due = MediaTime.never
        for stream in session.streams where !stream.producers.isEmpty || !stream.taps.isEmpty {
            due = min(due, MediaTime(rawValue: (now.rawValue / beat + 1) * beat))
            if timeout > .zero, case .plain = stream.source, let transport = session.publisher(of: stream) {
                due = min(due, transport.lastAuthentic + timeout + .nanoseconds(1))
            }
        }
        return due
    }

    /// Prepares for a control call, which may move paths and consumers, and start timers of any session.
    func prepareForControl() -> Quiesced {
        housekeepingSchedule.visitAll()
        return flush()
    }

    /// Looks after one session.
    private func lookAfter(_ session: EngineSession, _ now: MediaTime, _ quiesced: borrowing Quiesced) {
        let timeout = configuration.limits.publisherTimeout
        session.router.requestHeldKeyFrames(now: now)
        startPlainSubscribersAgain(in: session, now: now, quiesced)
        lookAfterSpeakers(session, now)
        follow(session, quiesced)
        var expired: [PublishTransport] = []
        var hasNewRates = false
        for stream in session.streams {
            if stream.encodings.count > 1, stream.chooseBest(now: now) {
                moveOthers(to: stream, in: session, now: now, quiesced)
            }
            if stream.hasNewRates(now: now) { hasNewRates = true }
            tellDimensions(of: stream, in: session)
            if !stream.taps.isEmpty { stream.taps.removeAll { $0.isClosed } }
            // A WebRTC publisher may send no media for as long as it keeps giving consent.
            if timeout > .zero, case .plain = stream.source, let transport = session.publisher(of: stream),
                now - transport.lastAuthentic > timeout
            {
                expired.append(transport)
            }
        }
        if hasNewRates { allocateSoon(in: session, now: now) }
        for transport in expired { close(transport, in: session, quiesced) }
        if !expired.isEmpty { forgetIfEmpty(session) }
        guard now >= session.reportsAt else { return }
        for stream in session.streams {
            guard let transport = session.publisher(of: stream) else { continue }
            for producer in stream.producers { report(on: producer, of: stream, transport, now) }
        }
        guard report(toSubscribersOf: session, now) else { return }
        session.reportsAt = now + Self.reportInterval
        session.sentBytes /= 2
        session.retransmittedBytes /= 2
    }

    private func tellDimensions(of stream: EngineStream, in session: EngineSession) {
        guard let size = stream.encodings.last?.producer.frameSize,
            stream.dimensions.map({ $0 != size }) ?? true
        else { return }
        stream.dimensions = size
        events.send(
            .dimensions(
                session: session.name, transport: stream.source.transport, stream: stream.name, width: size.width,
                height: size.height))
    }

    // MARK: outbound

    func send(_ bytes: [UInt8], to producer: Producer, of transport: PublishTransport) {
        guard transport.isPlain else {
            if let peer = peers[transport.id] { send(bytes, to: peer) }
            return
        }
        let track = inbound[producer.tag].pointee
        if transport.rtcpMux {
            guard track.rtpAddress.length > 0 else { return }
            egress.sendRTCP(bytes, transport.leg, to: PeerAddress(track.rtpAddress), .rtp)
        } else {
            // The source of the publisher's RTCP if known, else by convention the port after RTP.
            var address = track.rtcpAddress
            if address.length == 0 {
                guard track.rtpAddress.length > 0, track.rtpAddress.port < 65_535 else { return }
                address = track.rtpAddress
                address.port += 1
            }
            egress.sendRTCP(bytes, transport.leg, to: PeerAddress(address), .rtcp)
        }
    }

    func send(_ bytes: [UInt8], to track: SubscribedTrack, of transport: SubscribeTransport) {
        if !transport.isPlain {
            if let peer = peers[transport.id] { send(bytes, to: peer) }
        } else {
            egress.sendRTCP(bytes, transport.leg, to: PeerAddress(track.rtcpAddress), transport.rtcpMux ? .rtp : .rtcp)
        }
    }

    /// Sends RTCP to a peer. A peer that has not connected has no keys yet and gets none.
    func send(_ bytes: [UInt8], to peer: WebRTCPeer) {
        guard let leg = peer.leg, let address = peer.address else { return }
        egress.sendRTCP(bytes, leg, to: address, .webRTC)
    }
}
