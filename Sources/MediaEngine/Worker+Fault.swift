#if DEBUG
    import Forwarding
    import Glibc
    import MediaBase
    import RTP

    /// What the packet path asks on behalf of `EngineConfiguration.fault`. Each does nothing without its fault.
    extension Worker {
        private static let dropInterval = 40
        private static let freezeDelay = MediaTime.seconds(4)
        private static let stallInterval = MediaTime.seconds(3)
        private static let stallMicroseconds: UInt32 = 800_000
        static let trapDelay = MediaTime.milliseconds(500)

        /// Whether a packet that was received and kept goes no further. Then nothing is kept of it.
        func swallows(
            _ slot: UnsafeMutablePointer<StoredPacket>, of track: UnsafeMutablePointer<InboundTrack>, now: MediaTime
        ) -> Bool {
            track.pointee.fault.packets += 1
            let since = track.pointee.fault.since ?? now
            track.pointee.fault.since = since
            let swallowed =
                switch configuration.fault {
                case .dropVideo:
                    track.pointee.kind == .video && track.pointee.fault.packets.isMultiple(of: Self.dropInterval)
                case .freeze: track.pointee.kind == .video && now - since >= Self.freezeDelay
                case .dropAudio: track.pointee.kind == .audio
                case .swapAudio, .crossSession, .stall, .noRetransmit, .noKeyFrame, .deafToMoves, .trap, nil: false
                }
            if swallowed { slot.pointee.sequence = .min }
            return swallowed
        }

        var ignoresNACKs: Bool { configuration.fault == .noRetransmit }

        /// Whether media to a peer stays where it goes.
        func isDeaf(toMovesOf peer: WebRTCPeer) -> Bool { configuration.fault == .deafToMoves && peer.address != nil }

        /// Call once a turn.
        func stallWhenDue() {
            guard configuration.fault == .stall else { return }
            let now = time()
            if let due = nextStall, now >= due { usleep(Self.stallMicroseconds) }
            if nextStall.map({ now >= $0 }) ?? true { nextStall = time() + Self.stallInterval }
        }

        /// Traps if the time has come. Call once a turn.
        func trapWhenDue(_ now: MediaTime) {
            guard configuration.fault == .trap else { return }
            if let trapAt {
                if now >= trapAt { overflowCounters() }
            } else if sessions.values.contains(where: { $0.subscribers.count > 0 }) {
                trapAt = now + Self.trapDelay
            }
        }

        @inline(never)
        private func overflowCounters() { counters.workerCPU += .max - counters.workerCPU + 1 }

        // MARK: key frames

        /// Lets one who has just joined wait for a key frame that comes by itself.
        func withholdPictures(from track: SubscribedTrack, of producer: Producer, in session: EngineSession) {
            guard configuration.fault == .noKeyFrame, let at = producer.core.pointee.index(path: track.path),
                producer.core.pointee.consumers[at].state == .catchingUp
            else { return }
            _ = session.router.setPaused(true, path: track.path, producer: producer)
            _ = session.router.setPaused(false, path: track.path, producer: producer)
        }

        /// Who is asked for a key frame of `producer`: where another session's pictures are shown, they come from there.
        func keyFrameSource(of producer: Producer) -> Producer? {
            switch configuration.fault {
            case .noKeyFrame: return nil
            case .crossSession:
                let rooms = liveTracks(producer.kind)
                guard rooms.count > 1, let (room, place) = find(producer.tag, in: rooms) else { return producer }
                let source = rooms[(room + rooms.count - 1) % rooms.count]
                guard place < source.count else { return producer }
                return inbound[source[place]].producer.takeUnretainedValue()
            case .dropVideo, .dropAudio, .swapAudio, .stall, .freeze, .noRetransmit, .deafToMoves, .trap, nil:
                return producer
            }
        }

        // MARK: another session's media

        /// Whose track a packet is taken for, with its header as that one's publisher would have gone on; nil: nobody's. Sessions take
        /// turns in the order of their names: each gets what the one before it sends. A track's first packet is its own, which is
        /// where its numbers start.
        func diverted(
            _ header: RTPHeader, _ track: UnsafeMutablePointer<InboundTrack>
        ) -> (header: RTPHeader, track: UnsafeMutablePointer<InboundTrack>)? {
            let isDiverted =
                switch configuration.fault {
                case .swapAudio: track.pointee.kind == .audio
                case .crossSession: track.pointee.kind == .video
                case .dropVideo, .dropAudio, .stall, .freeze, .noRetransmit, .noKeyFrame, .deafToMoves, .trap, nil:
                    false
                }
            guard isDiverted else { return (header, track) }
            let rooms = liveTracks(track.pointee.kind)
            let tag = track - inbound
            guard rooms.count > 1, let (room, place) = find(tag, in: rooms) else { return (header, track) }
            let takers = rooms[(room + 1) % rooms.count]
            guard place < takers.count else { return nil }
            let taker = inbound + takers[place]
            let producer = taker.pointee.producer.takeUnretainedValue()
            if taker.pointee.fault.source != tag {
                taker.pointee.fault.source = tag
                taker.pointee.fault.sequenceOffset =
                    UInt16(truncatingIfNeeded: producer.latestSequence + 1) &- header.sequenceNumber.rawValue
                // 20 ms, or a thirtieth of a second.
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

        /// Tags of the tracks of one kind that have begun, session by session.
        private func liveTracks(_ kind: MediaKind) -> [[Int]] {
            sessions.values.sorted { $0.name < $1.name }.compactMap { session in
                let tags = session.streams.flatMap(\.producers)
                    .filter { $0.kind == kind && $0.latestSequence >= 0 }.map(\.tag)
                return tags.isEmpty ? nil : tags
            }
        }

        private func find(_ tag: Int, in rooms: [[Int]]) -> (room: Int, place: Int)? {
            for (room, tags) in rooms.enumerated() {
                if let place = tags.firstIndex(of: tag) { return (room, place) }
            }
            return nil
        }
    }
#endif
