package import MediaBase
import RTP

/// Simulcast switching: several producers are the encodings of one track, and one of them feeds a subscriber's track at a time.
///
/// During a switch, the track has a consumer in both producers. The old one feeds the track until a key frame of the new one begins, at the
/// end of a frame. The new one then continues the sequence numbers and timestamps, and the old one is kept for `retirement` to answer
/// requests for packets that it sent.
extension Router {
    /// Time that the old consumer is kept after a switch. Subscribers no longer request packets that are older than this.
    static let retirement = MediaTime.seconds(2)
    /// Maximum difference, in ticks of 90 kHz, between the offset of two encodings by the publisher's clock and by packet arrival. If they
    /// differ by more, the arrival times are used.
    private static let plausible: Int64 = 90_000

    /// Returns the producer that feeds a subscriber's track, or will feed it first.
    /// - Parameter expected: producer that fed the track at the last lookup; checked before the others.
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

    /// Finds the feeding consumer, given any producer that is an encoding of the track.
    func feedingConsumer(
        path: Int, like producer: Producer
    ) -> (producer: Producer, consumer: UnsafeMutablePointer<Consumer>)? {
        guard let i = producer.core.pointee.index(path: path) else { return nil }
        let consumer = producer.core.pointee.consumers + i
        if consumer.pointee.state.feeds { return (producer, consumer) }
        return feedingConsumer(path: path, ssrc: consumer.pointee.ssrc)
    }

    /// Switches a subscriber's track to another encoding at that encoding's next key frame. Cancels a switch that is still pending.
    /// - Parameters:
    ///   - from: any producer that has, or had, the track.
    ///   - layerLimit: 0...3, for the new encoding.
    /// - Returns: true if the caller must request a key frame of `to`.
    package func switchConsumer(
        path: Int, from: Producer, to: Producer, layerLimit: UInt8 = 3, now: MediaTime
    ) -> Bool {
        guard from.kind == .video, to.kind == .video, let current = feedingConsumer(path: path, like: from) else {
            return false
        }
        let old = current.consumer
        if let i = to.core.pointee.index(path: path), to.core.pointee.consumers[i].state == .expecting,
            to.core.pointee.consumers[i].ssrc == old.pointee.ssrc
        {
            to.core.pointee.consumers[i].layerLimit = min(layerLimit, LayerCounts.noLimit)
            return true
        }
        cancelSwitch(path: path, producer: current.producer, now: now)
        guard current.producer !== to else {
            noteSpatialChange(old, to: layerLimit, of: to.layerOrder, now: now)
            setLayerLimit(layerLimit, path: path, producer: to)
            return false
        }
        guard let new = join(to, like: old.pointee, layerLimit: layerLimit, now: now) else { return false }
        new.pointee.partner = current.producer.core
        switch old.pointee.state {
        case .live, .adapting, .catchingUp:
            old.pointee.partner = to.core
            if old.pointee.state == .live { old.pointee.state = .adapting }
            return true
        case .waiting, .paused, .expecting, .retired:
            // Nothing is being sent, so the new consumer replaces the old one at once.
            let state = old.pointee.state
            takeOver(new, of: to.core, from: old, at: now)
            new.pointee.state = state
            guard state == .waiting else { return false }
            guard !new.pointee.progress.hasSent, let start = to.cachedKeyFrame() else { return true }
            startCatchingUp(new, of: to.core, at: PendingPacket(producer: to.core, slot: start))
            return false
        }
    }

    /// Notes that another spatial layer is requested for a track that is being sent, or that the one that is sent is requested again.
    private func noteSpatialChange(
        _ consumer: UnsafeMutablePointer<Consumer>, to limit: UInt8, of order: LayerOrder, now: MediaTime
    ) {
        switch consumer.pointee.state {
        case .live, .adapting, .catchingUp:
            let isOther =
                order.spatialLayer(under: limit) != order.spatialLayer(under: consumer.pointee.rewrite.layerLimit)
            consumer.pointee.spatialSince = isOther ? now : nil
        case .waiting, .paused, .expecting, .retired: consumer.pointee.spatialSince = nil
        }
    }

    /// Cancels a pending switch.
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

    /// Returns the last sequence number that was sent on a subscriber's track.
    /// - Parameter producer: any that has the track.
    package func latestSequence(path: Int, producer: Producer) -> SequenceNumber? {
        feedingConsumer(path: path, like: producer).map {
            SequenceNumber(UInt16(truncatingIfNeeded: $0.consumer.pointee.progress.sequence))
        }
    }

    /// Returns whether a subscriber's track is waiting for a key frame of this producer.
    /// - Parameter now: false is returned while no key frame may be requested for the path because it dropped the last one. With `.never`,
    ///   only the state of the track counts.
    package func waitsForKeyFrame(path: Int, producer: Producer, now: MediaTime = .never) -> Bool {
        guard !producer.isMuted, mayRequestKeyFrame(path: path, now: now),
            let i = producer.core.pointee.index(path: path)
        else { return false }
        return producer.core.pointee.consumers[i].state == .waiting
    }

    /// Returns whether a subscriber's track waits for a key frame to rise to a higher spatial layer of the encoding that feeds it.
    package func waitsForSpatialLayer(path: Int, producer: Producer) -> Bool {
        let order = producer.layerOrder
        guard order.spatialLayers > 1, !producer.isMuted, let i = producer.core.pointee.index(path: path) else {
            return false
        }
        let consumer = producer.core.pointee.consumers + i
        switch consumer.pointee.state {
        case .adapting, .catchingUp:
            return order.spatialLayer(under: consumer.pointee.layerLimit)
                > order.spatialLayer(under: consumer.pointee.rewrite.layerLimit)
        case .live, .waiting, .paused, .expecting, .retired: return false
        }
    }

    /// Returns how often the relay made a subscriber's track start at a key frame, and whether it waits for one now; nil if there is no
    /// such track.
    /// - Parameter producer: any that has the track.
    package func start(path: Int, producer: Producer) -> (count: UInt64, isAwaited: Bool)? {
        feedingConsumer(path: path, like: producer).map {
            ($0.consumer.pointee.progress.starts, $0.consumer.pointee.state == .waiting)
        }
    }

    /// Returns the switches since the last call and clears the list. The caller must handle all of them: once the old consumer is dropped,
    /// the track can only be found by its new producer. There are at most as many as were requested.
    package func takeSwitches() -> [LayerSwitch] {
        defer { switches.removeAll() }
        return switches
    }

    /// Returns the consumer in `producer` that waits for its key frame: a new one, or one that fed the track before.
    private func join(
        _ producer: Producer, like old: Consumer, layerLimit: UInt8, now: MediaTime
    ) -> UnsafeMutablePointer<Consumer>? {
        let core = producer.core
        let limit = min(layerLimit, LayerCounts.noLimit)
        if core.pointee.index(path: old.path) == nil {
            var consumer = Consumer(
                path: old.path, ssrc: old.ssrc, payloadType: old.payloadType, progress: old.progress,
                layerLimit: limit)
            consumer.rtx = old.rtx
            consumer.extensions = old.extensions
            core.pointee.insert(consumer)
        }
        guard let i = core.pointee.index(path: old.path), core.pointee.consumers[i].ssrc == old.ssrc else { return nil }
        let consumer = core.pointee.consumers + i
        consumer.pointee.state = .expecting
        consumer.pointee.layerLimit = limit
        consumer.pointee.keyFrame = nil
        consumer.pointee.since = now
        return consumer
    }

    // MARK: packet path, at frame boundaries only

    /// Handles a packet of the producer that a track switches to.
    /// - Returns: true if the packet is sent.
    func expect(
        _ packet: UnsafeMutablePointer<PendingPacket>, for new: UnsafeMutablePointer<Consumer>,
        of core: UnsafeMutablePointer<ProducerCore>
    ) -> Bool {
        guard let partner = new.pointee.partner, let i = partner.pointee.index(path: new.pointee.path) else {
            return false
        }
        let old = partner.pointee.consumers + i
        if packet.pointee.startsKeyFrame, packet.pointee.fields.layer <= new.pointee.layerLimit {
            let isSecond = new.pointee.keyFrame.map { $0.timestamp != packet.pointee.timestamp } ?? false
            if !packet.pointee.isLate, isSecond || old.pointee.isBetweenFrames {
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
        // The key frame has begun. The switch happens at the end of the old encoding's frame, but no later than the next frame of the new
        // encoding.
        guard let key = new.pointee.keyFrame else { return false }
        if old.pointee.isBetweenFrames || packet.pointee.timestamp != key.timestamp {
            _ = handOver(from: old, of: partner)
        }
        return false
    }

    /// Changes the limit of a consumer if it can change at this packet, and reports a change of the spatial layer.
    @inline(__always)
    func adapt(
        _ consumer: UnsafeMutablePointer<Consumer>, at packet: borrowing PendingPacket,
        of core: UnsafeMutablePointer<ProducerCore>
    ) {
        consumer.pointee.adapt(at: packet)
        guard let since = consumer.pointee.spatialSince,
            consumer.pointee.rewrite.layerLimit == consumer.pointee.layerLimit
        else { return }
        consumer.pointee.spatialSince = nil
        switches.append(
            LayerSwitch(
                path: consumer.pointee.path, ssrc: consumer.pointee.ssrc, from: core.pointee.source,
                to: core.pointee.source, requestedAt: since, at: max(since, packet.arrival)))
    }

    /// Switches at the end of a frame if the new encoding's key frame has arrived. The key frame is then read from the ring.
    /// - Returns: true if the track was switched.
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

    /// Gives the new consumer the old one's progress and retires the old one.
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

    /// Returns the timestamp of a key frame on the subscriber's timeline. Uses the publisher's clock if sender reports of both encodings
    /// are known, else the arrival times. The result is always later than the last packet that was sent.
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

    /// Removes retired consumers whose retention time has ended.
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

    /// Removes all pointers to a producer that is being removed.
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
