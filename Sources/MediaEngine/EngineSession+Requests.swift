import Forwarding
import MediaBase
import RTP

/// Requests of a session's subscribers, and clocks of its publishers, from their RTCP.
extension EngineSession {
    /// Packets that a subscriber lacks, and the producer that has them.
    struct Retransmission {
        let track: SubscribedTrack
        let producer: Producer
        let sequences: [SequenceNumber]
    }

    /// Takes the clock of a publisher from its sender reports. A plain publisher that sends BYE may return under the same SSRC: its transport
    /// remains until it is deleted or times out.
    /// - Returns: the clock for the other parts of the session; nil if the packet has none.
    func publisherSent(
        _ packet: RTCPPacket, _ transport: PublishTransport, _ inbound: borrowing InboundTable, now: MediaTime,
        _ counters: inout EngineCounters
    ) -> LinkRecord? {
        guard packet.kind == .senderReport else { return nil }
        guard let report = try? SenderReport(parsing: packet) else {
            counters.droppedMalformedRTCP &+= 1
            return nil
        }
        for index in transport.tracks where inbound[index].pointee.ssrc == report.sender {
            receive(ntp: report.ntpTime, timestamp: report.rtpTimestamp, of: inbound[index], now: now)
            return LinkRecord(report, of: inbound[index], now: now)
        }
        return nil
    }

    /// Takes the clock of a mirrored track from the worker that the track comes from.
    func receive(clock: LinkRecord, of track: UnsafeMutablePointer<InboundTrack>) {
        receive(
            ntp: NTPTime(rawValue: clock.ntp), timestamp: RTPTimestamp(clock.timestamp), of: track,
            now: MediaTime(rawValue: clock.arrival))
    }

    /// Serves the requests in a packet of a subscriber.
    /// - Returns: the packets to send again; nil: none.
    func subscriberSent(
        _ packet: RTCPPacket, _ transport: SubscribeTransport, now: MediaTime, _ counters: inout EngineCounters
    ) -> Retransmission? {
        let request: SubscriberRequest?
        do {
            request = try SubscriberRequest(packet)
        } catch {
            counters.droppedMalformedRTCP &+= 1
            return nil
        }
        switch request {
        case .packets(let sequences, let ssrc):
            counters.nacksReceived &+= UInt64(sequences.count)
            return retransmission(sequences, of: ssrc, to: transport, now: now)
        case .keyFrames(let ssrcs):
            counters.keyFrameRequestsReceived &+= UInt64(ssrcs.count)
            for ssrc in ssrcs { requestKeyFrame(of: ssrc, for: transport, now: now) }
        case nil: break
        }
        return nil
    }

    /// Takes the clock of a publisher from a sender report.
    /// - Parameters:
    ///   - track: track with the report's SSRC.
    ///   - now: arrival of the report.
    private func receive(
        ntp: NTPTime, timestamp: RTPTimestamp, of track: UnsafeMutablePointer<InboundTrack>, now: MediaTime
    ) {
        let producer = track.pointee.producer.takeUnretainedValue()
        let isFirst = producer.clock.ntp == nil
        producer.clock.report(ntp: ntp, timestamp: timestamp, now: now)
        // Subscribers need a sender report to synchronise audio and video.
        if isFirst { _ = reportToSubscribers(now: now) }
    }

    /// Returns the packets to send again for a subscriber's request; nil: none.
    private func retransmission(
        _ sequences: [SequenceNumber], of ssrc: SSRC, to transport: SubscribeTransport, now: MediaTime
    ) -> Retransmission? {
        guard let (track, producer) = subscription(ssrc, transport) else { return nil }
        transport.decisions.count(.packetsWanted, stream: track.streamName, sequences.count, now: now)
        var wanted = sequences
        // Sequence numbers abandoned by a downgrade are excluded.
        if let abandoned = track.abandoned, now - abandoned.at < .seconds(3) {
            wanted.removeAll { $0.distance(from: abandoned.through) <= 0 }
        }
        return Retransmission(track: track, producer: producer, sequences: wanted)
    }

    /// Serves a subscriber's request for a key frame.
    private func requestKeyFrame(of ssrc: SSRC, for transport: SubscribeTransport, now: MediaTime) {
        guard let (track, producer) = subscription(ssrc, transport), producer.kind == .video else { return }
        transport.decisions.count(.keyFrameWanted, stream: track.streamName, 1, now: now)
        // The other relay limits the requests of its subscribers.
        guard !transport.isPipe else {
            if !track.piped.isWithheld { emit(.requestKeyFrame(producer, isAwaited: false)) }
            return
        }
        _ = serveKeyFrame(to: track, of: producer, now: now)
    }

    /// Requests a key frame of a stream's largest active encoding, or of the one that a tap has chosen.
    func requestKeyFrame(ofStream name: String, for tap: PacketTap?) throws(EngineError) {
        guard let stream = stream(named: name) else { throw .unknownStream(name) }
        let chosen = tap.flatMap { stream.encoding(of: $0) }
        if let video = chosen ?? stream.video { emit(.requestKeyFrame(video, isAwaited: false)) }
    }

    private func subscription(_ ssrc: SSRC, _ transport: SubscribeTransport) -> (SubscribedTrack, Producer)? {
        // Packets from before two participants were separated are not retransmitted afterwards.
        guard let track = transport.track(of: ssrc), !track.isParted,
            let producer = router.feeder(path: track.path, ssrc: ssrc, expected: track.producer) ?? track.producer
        else { return nil }
        return (track, producer)
    }

    /// Requests a key frame from the producer that feeds a track, if the subscriber's budget allows it.
    /// - Returns: false if the budget does not allow it, or if a request was served just before.
    private func serveKeyFrame(to track: SubscribedTrack, of producer: Producer, now: MediaTime) -> Bool {
        guard let start = router.start(path: track.path, producer: producer) else { return false }
        switch track.keyFrames.judge(starts: start.count, isWaiting: start.isAwaited, now: now) {
        case .served:
            emit(.requestKeyFrame(producer, isAwaited: start.isAwaited))
            return true
        case .repeated: return false
        case .refused:
            emit(.keyFrameLimited)
            return false
        }
    }

    // MARK: plain subscribers, most of which send no PLI

    /// Starts the video of plain subscribers again if they have sent no RTCP yet and a time of their
    /// schedule has passed.
    func startPlainSubscribersAgain(now: MediaTime, _ quiesced: borrowing Quiesced) {
        guard !starting.isEmpty else { return }
        for transport in starting where transport.starts.take(now: now) {
            for track in transport.tracks {
                guard let feeder = videoFeeder(of: track) else { continue }
                emit(.requestKeyFrame(feeder, isAwaited: false))
                startAgain(track, of: feeder, cacheAge: StartSchedule.cacheAge)
            }
        }
        starting.removeAll { $0.starts.isOver }
    }

    /// Starts the video of a plain subscriber again at its client's request, within its budget of key frames.
    func startAgain(_ id: TransportID, now: MediaTime, _ quiesced: borrowing Quiesced) throws(EngineError) {
        guard let transport = subscribers[id], transport.isPlain, !transport.isPipe else {
            throw .unknownTransport(id.rawValue)
        }
        for track in transport.tracks {
            guard let feeder = videoFeeder(of: track), serveKeyFrame(to: track, of: feeder, now: now) else { continue }
            startAgain(track, of: feeder, cacheAge: .zero)
        }
    }

    /// Returns the producer that feeds a video track; nil if it is muted.
    private func videoFeeder(of track: SubscribedTrack) -> Producer? {
        guard track.kind == .video, let producer = track.producer, !producer.isMuted else { return nil }
        return router.feeder(path: track.path, ssrc: track.ssrc, expected: producer) ?? producer
    }

    private func startAgain(_ track: SubscribedTrack, of feeder: Producer, cacheAge: MediaTime) {
        if router.startAgain(path: track.path, producer: feeder, ifOlderThan: cacheAge) {
            router.hasNewCatchUps = true
        }
    }
}
