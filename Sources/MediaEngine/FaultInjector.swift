#if DEBUG
    import Forwarding
    import Glibc
    import MediaBase
    import RTP

    /// Injects `EngineConfiguration.fault` into a worker. Each method does nothing unless its fault is configured.
    struct FaultInjector {
        private let fault: Fault?
        /// Time of the next injected stall.
        private var nextStall: MediaTime?
        /// Time of the injected trap; nil until the first subscriber connects.
        private(set) var trapAt: MediaTime?

        init(_ fault: Fault?) { self.fault = fault }

        private static let dropInterval = 40
        private static let freezeDelay = MediaTime.seconds(4)
        private static let stallInterval = MediaTime.seconds(3)
        private static let stallMicroseconds: UInt32 = 800_000
        static let trapDelay = MediaTime.milliseconds(500)

        /// Returns whether a received packet is dropped. A dropped packet is also removed from the cache.
        func swallows(
            _ slot: UnsafeMutablePointer<StoredPacket>, of track: UnsafeMutablePointer<InboundTrack>, now: MediaTime
        ) -> Bool {
            track.pointee.fault.packets += 1
            let since = track.pointee.fault.since ?? now
            track.pointee.fault.since = since
            let swallowed =
                switch fault {
                case .dropVideo:
                    track.pointee.kind == .video && track.pointee.fault.packets.isMultiple(of: Self.dropInterval)
                case .freeze: track.pointee.kind == .video && now - since >= Self.freezeDelay
                case .dropAudio: track.pointee.kind == .audio
                case .swapAudio, .crossSession, .stall, .noRetransmit, .noKeyFrame, .deafToMoves, .trap, nil: false
                }
            if swallowed { slot.pointee.sequence = .min }
            return swallowed
        }

        var ignoresNACKs: Bool { fault == .noRetransmit }

        /// Returns whether media to a peer stays at its first address.
        func isDeaf(toMovesOf peer: WebRTCPeer) -> Bool { fault == .deafToMoves && peer.address != nil }

        /// Time of the next injected stall or trap.
        var due: MediaTime { min(nextStall ?? .never, trapAt ?? .never) }

        /// Sleeps if the injected stall is due. Call once a turn.
        mutating func stallWhenDue(_ clock: borrowing WorkerClock) {
            guard fault == .stall else { return }
            let now = clock.now
            if let due = nextStall, now >= due { usleep(Self.stallMicroseconds) }
            if nextStall.map({ now >= $0 }) ?? true { nextStall = clock.now + Self.stallInterval }
        }

        /// Traps if the injected trap is due. Call once a turn.
        mutating func trapWhenDue(_ sessions: SessionTable, _ counters: inout EngineCounters, now: MediaTime) {
            guard fault == .trap else { return }
            if let trapAt {
                if now >= trapAt { overflowCounters(&counters) }
            } else if sessions.all.contains(where: { $0.subscribers.count > 0 }) {
                trapAt = now + Self.trapDelay
            }
        }

        @inline(never)
        private func overflowCounters(_ counters: inout EngineCounters) {
            counters.workerCPU += .max - counters.workerCPU + 1
        }

        // MARK: key frames

        /// Makes a consumer that has just begun to catch up wait for the publisher's next key frame instead.
        func withholdVideo(from track: SubscribedTrack, of producer: Producer, in session: EngineSession) {
            guard fault == .noKeyFrame, let at = producer.core.pointee.index(path: track.path),
                producer.core.pointee.consumers[at].state == .catchingUp
            else { return }
            _ = session.router.setPaused(true, path: track.path, producer: producer)
            _ = session.router.setPaused(false, path: track.path, producer: producer)
        }

        /// Returns the producer whose publisher a key frame of `producer` is requested from: with `crossSession`, the one whose video
        /// replaces its video; nil: no request is sent.
        func keyFrameSource(
            of producer: Producer, _ sessions: SessionTable, _ inbound: borrowing InboundTable
        ) -> Producer? {
            switch fault {
            case .noKeyFrame: return nil
            case .crossSession:
                let groups = liveTracks(producer.kind, sessions)
                guard groups.count > 1, let (group, trackIndex) = find(producer.tag, in: groups) else {
                    return producer
                }
                let source = groups[(group + groups.count - 1) % groups.count]
                guard trackIndex < source.count else { return producer }
                return inbound[source[trackIndex]].pointee.producer.takeUnretainedValue()
            case .dropVideo, .dropAudio, .swapAudio, .stall, .freeze, .noRetransmit, .deafToMoves, .trap, nil:
                return producer
            }
        }

        // MARK: another session's media

        /// Returns the track that a packet is attributed to, with the header rewritten to continue that track's numbers; nil: the packet
        /// is dropped. Each session receives the media of the session before it, in the order of their names. The first packet of a track
        /// is its own, so that its numbers have a start.
        func diverted(
            _ header: RTPHeader, _ track: UnsafeMutablePointer<InboundTrack>, _ sessions: SessionTable,
            _ inbound: borrowing InboundTable
        ) -> (header: RTPHeader, track: UnsafeMutablePointer<InboundTrack>)? {
            let isDiverted =
                switch fault {
                case .swapAudio: track.pointee.kind == .audio
                case .crossSession: track.pointee.kind == .video
                case .dropVideo, .dropAudio, .stall, .freeze, .noRetransmit, .noKeyFrame, .deafToMoves, .trap, nil:
                    false
                }
            guard isDiverted else { return (header, track) }
            let groups = liveTracks(track.pointee.kind, sessions)
            let tag = inbound.index(of: track)
            guard groups.count > 1, let (group, trackIndex) = find(tag, in: groups) else { return (header, track) }
            let takers = groups[(group + 1) % groups.count]
            guard trackIndex < takers.count else { return nil }
            let taker = inbound[takers[trackIndex]]
            let producer = taker.pointee.producer.takeUnretainedValue()
            if taker.pointee.fault.source != tag {
                taker.pointee.fault.source = tag
                taker.pointee.fault.sequenceOffset =
                    UInt16(truncatingIfNeeded: producer.latestSequence + 1) &- header.sequenceNumber.rawValue
                // Timestamp step: 20 ms of audio, or 1/30 s of video.
                let step: Int64 = producer.kind == .audio ? 960 : 3000
                taker.pointee.fault.timestampOffset =
                    UInt32(truncatingIfNeeded: producer.latestTimestamp + step) &- header.timestamp.rawValue
            }
            var header = header
            header.ssrc = producer.configuration.ssrc
            header.payloadType = producer.configuration.payloadType
            header.sequenceNumber.rawValue &+= taker.pointee.fault.sequenceOffset
            header.timestamp.rawValue &+= taker.pointee.fault.timestampOffset
            return (header, taker)
        }

        /// Returns the tags of the tracks of one kind that have begun, by session.
        private func liveTracks(_ kind: MediaKind, _ sessions: SessionTable) -> [[Int]] {
            sessions.all.sorted { $0.name < $1.name }.compactMap { session in
                let tags = session.streams.flatMap(\.producers)
                    .filter { $0.kind == kind && $0.latestSequence >= 0 }.map(\.tag)
                return tags.isEmpty ? nil : tags
            }
        }

        private func find(_ tag: Int, in groups: [[Int]]) -> (group: Int, trackIndex: Int)? {
            for (group, tags) in groups.enumerated() {
                if let trackIndex = tags.firstIndex(of: tag) { return (group, trackIndex) }
            }
            return nil
        }
    }
#endif
