package import MediaBase
import RTP

/// Encodings: several producers stand for one track of a viewer, of which one feeds it at a time.
///
/// While a switch is wanted, the track has a consumer in both producers: the old one feeds until a key frame of the new one begins, at the
/// end of a picture; then the new one goes on in its numbering, and the old one stays for a while to answer requests for what it sent.
extension Router {
    /// How long a consumer that was switched away from is kept: what is older is not asked for again.
    static let retirement = MediaTime.seconds(2)
    /// By how much the publisher's clock and the arrival of packets may disagree in how far two encodings are apart.
    private static let plausible: Int64 = 90_000

    /// The producer that feeds a viewer's track, or will do so first.
    /// - Parameter expected: fed it when that was looked at last, and is asked before all the others.
    package func feeder(path: Int, ssrc: SSRC, expected: Producer? = nil) -> Producer? {
        if let core = expected?.core, let i = core.pointee.index(path: path), core.pointee.consumers[i].ssrc == ssrc,
            core.pointee.consumers[i].state.feeds
        {
            return expected
        }
        return feedingConsumer(path: path, ssrc: ssrc)?.producer
    }

    func feedingConsumer(
        path: Int, ssrc: SSRC
    ) -> (producer: Producer, consumer: UnsafeMutablePointer<Consumer>)? {
        for producer in producers {
            guard let i = producer.core.pointee.index(path: path) else { continue }
            let consumer = producer.core.pointee.consumers + i
            if consumer.pointee.ssrc == ssrc, consumer.pointee.state.feeds { return (producer, consumer) }
        }
        return nil
    }

    /// The same, by any of the producers that stand for the track.
    func feedingConsumer(
        path: Int, like producer: Producer
    ) -> (producer: Producer, consumer: UnsafeMutablePointer<Consumer>)? {
        guard let i = producer.core.pointee.index(path: path) else { return nil }
        let consumer = producer.core.pointee.consumers + i
        if consumer.pointee.state.feeds { return (producer, consumer) }
        return feedingConsumer(path: path, ssrc: consumer.pointee.ssrc)
    }

    /// Has a viewer's track fed by another encoding from its next key frame on. A switch that is still wanted is given up for this one.
    /// - Parameters:
    ///   - from: any producer that has, or had, the track.
    ///   - temporalLimit: 0...3, of the new encoding.
    /// - Returns: true where a key frame of `to` has to be asked for.
    package func switchConsumer(
        path: Int, from: Producer, to: Producer, temporalLimit: UInt8 = 3, now: MediaTime
    ) -> Bool {
        guard from.kind == .video, to.kind == .video, let current = feedingConsumer(path: path, like: from) else {
            return false
        }
        let old = current.consumer
        if let i = to.core.pointee.index(path: path), to.core.pointee.consumers[i].state == .expecting,
            to.core.pointee.consumers[i].ssrc == old.pointee.ssrc
        {
            to.core.pointee.consumers[i].temporalLimit = min(temporalLimit, LayerCounts.noLimit)
            return true
        }
        cancelSwitch(path: path, producer: current.producer, now: now)
        guard current.producer !== to else {
            setTemporalLimit(temporalLimit, path: path, producer: to)
            return false
        }
        guard let new = join(to, like: old.pointee, temporalLimit: temporalLimit, now: now) else { return false }
        new.pointee.partner = current.producer.core
        switch old.pointee.state {
        case .live, .adapting, .catchingUp:
            old.pointee.partner = to.core
            if old.pointee.state == .live { old.pointee.state = .adapting }
            return true
        case .waiting, .paused, .expecting, .retired:
            // Nothing goes out that could be switched: the new one stands where the old one stood.
            let state = old.pointee.state
            takeOver(new, of: to.core, from: old, at: now)
            new.pointee.state = state
            guard state == .waiting else { return false }
            guard !new.pointee.progress.hasSent, let start = to.cachedKeyFrame() else { return true }
            startCatchingUp(new, of: to.core, at: PendingPacket(producer: to.core, slot: start))
            return false
        }
    }

    /// Gives up a switch that has not happened.
    /// - Parameter producer: any that has the track.
    package func cancelSwitch(path: Int, producer: Producer, now: MediaTime) {
        guard let old = feedingConsumer(path: path, like: producer)?.consumer, let target = old.pointee.partner else {
            return
        }
        old.pointee.partner = nil
        if old.pointee.state == .adapting { old.pointee.state = old.pointee.level }
        guard let i = target.pointee.index(path: path) else { return }
        retire(target.pointee.consumers + i, until: now + Self.retirement)
    }

    /// Throws away what waits to go out on a viewer's track, and the rest of the picture that is going out. The track then waits for a key
    /// frame.
    /// - Parameter producer: any that has the track.
    /// - Returns: the last number that counts as used; nil where there is no such track.
    package func abandon(path: Int, producer: Producer) -> Int64? {
        guard let (feeder, consumer) = feedingConsumer(path: path, like: producer) else { return nil }
        _ = setPaused(true, path: path, producer: feeder)
        _ = setPaused(false, path: path, producer: feeder)
        if feeder.kind == .video {
            consumer.pointee.cutPicture()
            consumer.pointee.isCutOff = true
        }
        return consumer.pointee.progress.sequence
    }

    /// The last number that went out on a viewer's track.
    /// - Parameter producer: any that has the track.
    package func latestSequence(path: Int, producer: Producer) -> SequenceNumber? {
        feedingConsumer(path: path, like: producer).map {
            SequenceNumber(UInt16(truncatingIfNeeded: $0.consumer.pointee.progress.sequence))
        }
    }

    /// Whether nothing goes out on a viewer's track before a key frame of this producer comes.
    /// - Parameter now: false while no key frame may be requested for the path because it dropped the last one; `.never` asks only whether
    ///   the track waits.
    package func waitsForKeyFrame(path: Int, producer: Producer, now: MediaTime = .never) -> Bool {
        guard !producer.isMuted, mayRequestKeyFrame(path: path, now: now),
            let i = producer.core.pointee.index(path: path)
        else { return false }
        return producer.core.pointee.consumers[i].state == .waiting
    }

    /// How often a subscriber's track has begun at a key frame for a cause of the relay's, and whether it waits for one now; nil if there is no such track.
    /// - Parameter producer: any that has the track.
    package func start(path: Int, producer: Producer) -> (count: UInt64, isAwaited: Bool)? {
        feedingConsumer(path: path, like: producer).map {
            ($0.consumer.pointee.progress.starts, $0.consumer.pointee.state == .waiting)
        }
    }

    /// Switches that happened since the last call, and forgets them. None may be missed: who does not know what feeds a track cannot find
    /// it any more once the consumer of before has been dropped. There are no more of them than were asked for.
    package func takeSwitches() -> [LayerSwitch] {
        defer { switches.removeAll() }
        return switches
    }

    /// The consumer in `producer` that waits for its key frame: a new one, or one that fed the track before.
    private func join(
        _ producer: Producer, like old: Consumer, temporalLimit: UInt8, now: MediaTime
    ) -> UnsafeMutablePointer<Consumer>? {
        let core = producer.core
        let limit = min(temporalLimit, LayerCounts.noLimit)
        if core.pointee.index(path: old.path) == nil {
            var consumer = Consumer(
                path: old.path, ssrc: old.ssrc, payloadType: old.payloadType, progress: old.progress,
                temporalLimit: limit)
            consumer.rtx = old.rtx
            consumer.extensions = old.extensions
            core.pointee.insert(consumer)
        }
        guard let i = core.pointee.index(path: old.path), core.pointee.consumers[i].ssrc == old.ssrc else { return nil }
        let consumer = core.pointee.consumers + i
        consumer.pointee.state = .expecting
        consumer.pointee.temporalLimit = limit
        consumer.pointee.keyFrame = nil
        consumer.pointee.since = now
        return consumer
    }

    // MARK: on the packet path, at pictures only

    /// A packet of a producer that is to be switched to. - Returns: true where it goes out.
    func expect(
        _ packet: UnsafeMutablePointer<PendingPacket>, for new: UnsafeMutablePointer<Consumer>,
        of core: UnsafeMutablePointer<ProducerCore>
    ) -> Bool {
        guard let partner = new.pointee.partner, let i = partner.pointee.index(path: new.pointee.path) else {
            return false
        }
        let old = partner.pointee.consumers + i
        if packet.pointee.startsKeyFrame, packet.pointee.vp8.temporalLayer <= new.pointee.temporalLimit {
            let isSecond = new.pointee.keyFrame.map { $0.timestamp != packet.pointee.timestamp } ?? false
            if !packet.pointee.isLate, isSecond || old.pointee.isBetweenPictures {
                takeOver(new, of: core, from: old, at: packet.pointee.arrival)
                new.pointee.begin(
                    at: packet.pointee, state: .live, timestamp: timestamp(of: packet.pointee, core, old, partner))
                new.pointee.state = new.pointee.level
                return true
            }
            if packet.pointee.sequence > new.pointee.keyFrame?.sequence ?? .min {
                new.pointee.keyFrame = (packet.pointee.sequence, packet.pointee.timestamp)
            }
            return false
        }
        // The key frame has begun. It is waited for the end of the old one's picture, but not beyond the next of its own.
        guard let key = new.pointee.keyFrame else { return false }
        if old.pointee.isBetweenPictures || packet.pointee.timestamp != key.timestamp {
            _ = handOver(from: old, of: partner)
        }
        return false
    }

    /// At the end of a picture: goes over to the encoding that is wanted where its key frame is there. It is read from the ring.
    /// - Returns: true where it did.
    func handOver(
        from old: UnsafeMutablePointer<Consumer>, of oldCore: UnsafeMutablePointer<ProducerCore>
    ) -> Bool {
        guard let core = old.pointee.partner, let i = core.pointee.index(path: old.pointee.path) else { return false }
        let new = core.pointee.consumers + i
        guard new.pointee.state == .expecting, let key = new.pointee.keyFrame else { return false }
        guard let slot = core.pointee.ring.find(key.sequence) else {
            new.pointee.keyFrame = nil
            return false
        }
        let packet = PendingPacket(producer: core, slot: slot)
        takeOver(new, of: core, from: old, at: packet.arrival)
        startCatchingUp(new, of: core, at: packet, timestamp: timestamp(of: packet, core, old, oldCore))
        return true
    }

    func startCatchingUp(
        _ consumer: UnsafeMutablePointer<Consumer>, of core: UnsafeMutablePointer<ProducerCore>,
        at packet: borrowing PendingPacket, timestamp: UInt32? = nil, cause: StartCause = .relay
    ) {
        consumer.pointee.begin(at: packet, state: .catchingUp, timestamp: timestamp, cause: cause)
        core.pointee.catchingUp += 1
        hasNewCatchUps = true
    }

    /// The new consumer goes on with what its viewer was told, the old one retires.
    private func takeOver(
        _ new: UnsafeMutablePointer<Consumer>, of core: UnsafeMutablePointer<ProducerCore>,
        from old: UnsafeMutablePointer<Consumer>, at now: MediaTime
    ) {
        guard let oldCore = new.pointee.partner else { return }
        switches.append(
            LayerSwitch(
                path: new.pointee.path, ssrc: new.pointee.ssrc, from: oldCore.pointee.source,
                to: core.pointee.source, requestedAt: new.pointee.since, at: now))
        new.pointee.progress = old.pointee.progress
        new.pointee.retransmitted = old.pointee.retransmitted
        new.pointee.partner = nil
        new.pointee.joinsTimestamps = new.pointee.progress.hasSent
        if let before = old.pointee.predecessor, before != core, let i = before.pointee.index(path: old.pointee.path),
            before.pointee.consumers[i].ssrc == old.pointee.ssrc, before.pointee.consumers[i].state == .retired
        {
            retire(before.pointee.consumers + i, until: now)
        }
        new.pointee.predecessor = oldCore
        if old.pointee.state == .catchingUp { oldCore.pointee.catchingUp -= 1 }
        old.pointee.partner = nil
        old.pointee.predecessor = nil
        retire(old, until: now + Self.retirement)
    }

    private func retire(_ consumer: UnsafeMutablePointer<Consumer>, until time: MediaTime) {
        consumer.pointee.state = .retired
        consumer.pointee.partner = nil
        consumer.pointee.since = time
        nextSweep = min(nextSweep, time)
    }

    /// Where a key frame stands on the viewer's timeline: by the publisher's clock where that is known of both encodings, else by when
    /// their packets came; in any case after what went out last.
    private func timestamp(
        of packet: borrowing PendingPacket, _ core: UnsafeMutablePointer<ProducerCore>,
        _ old: UnsafeMutablePointer<Consumer>, _ oldCore: UnsafeMutablePointer<ProducerCore>
    ) -> UInt32? {
        let progress = old.pointee.progress
        guard progress.hasSent else { return nil }
        var ticks = Consumer.ticks(from: progress.sentAt, to: packet)
        if let ntp = core.pointee.clock.ntp(of: RTPTimestamp(packet.timestamp)),
            let same = oldCore.pointee.clock.timestamp(of: ntp)
        {
            let placed = same.rawValue &+ old.pointee.rewrite.timestampOffset
            let byClock = Int64(Int32(bitPattern: placed &- progress.timestamp))
            if abs(byClock - ticks) <= Self.plausible { ticks = max(1, byClock) }
        }
        return progress.timestamp &+ UInt32(truncatingIfNeeded: ticks)
    }

    // MARK: cleaning up

    /// Drops consumers that retired long enough ago.
    func sweep(now: MediaTime) {
        nextSweep = .never
        for producer in producers {
            let core = producer.core
            var i = core.pointee.consumerCount - 1
            while i >= 0 {
                let consumer = core.pointee.consumers + i
                if consumer.pointee.state == .retired {
                    if consumer.pointee.since <= now {
                        _ = core.pointee.remove(path: consumer.pointee.path)
                    } else {
                        nextSweep = min(nextSweep, consumer.pointee.since)
                    }
                }
                i -= 1
            }
        }
    }

    /// Nothing may point to a producer that goes.
    func forget(_ core: UnsafeMutablePointer<ProducerCore>) {
        for producer in producers where producer.core != core {
            for i in 0..<producer.core.pointee.consumerCount {
                let consumer = producer.core.pointee.consumers + i
                if consumer.pointee.predecessor == core { consumer.pointee.predecessor = nil }
                guard consumer.pointee.partner == core else { continue }
                if consumer.pointee.state == .expecting, let at = core.pointee.index(path: consumer.pointee.path) {
                    takeOver(
                        consumer, of: producer.core, from: core.pointee.consumers + at,
                        at: core.pointee.consumers[at].progress.sentAt)
                    consumer.pointee.predecessor = nil
                    consumer.pointee.state = .waiting
                } else {
                    consumer.pointee.partner = nil
                    if consumer.pointee.state == .adapting { consumer.pointee.state = consumer.pointee.level }
                }
            }
        }
    }
}
