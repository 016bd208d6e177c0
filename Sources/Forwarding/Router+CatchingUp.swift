package import MediaBase

/// Consumers that read from the ring: new ones that start at a cached key frame, and those whose path has used up its burst.
extension Router {
    /// Maximum number of packets per consumer and call: about 150 Mb/s at one call per millisecond. If many consumers catch up at once,
    /// they take turns, so that a call stays short. Fewer packets at a time would cost more per packet.
    private static let catchUpPackets = 16
    private static let catchUpPacketsOfAll = 1024
    /// Number of missing packets that cost as much time as sending one. A publisher may skip up to 32,767 numbers between any two packets.
    private static let missingPerPacket = 64

    package var isCatchingUp: Bool {
        for producer in producers where producer.core.pointee.catchingUp > 0 { return true }
        return false
    }

    /// Sends the next packets to consumers that are catching up. Call this about once a millisecond while `isCatchingUp` is true, with no
    /// packet pending.
    package func catchUp(
        now: MediaTime, into batch: inout EgressBatch, _ flush: (inout EgressBatch) -> Void
    ) {
        precondition(pendingCount == 0)
        guard isCatchingUp else { return }
        batch.begin(now: now)
        var left = Self.catchUpPacketsOfAll
        // The first producer rotates, so that several tracks on one paced path share its rate.
        catchUpTurn &+= 1
        for p in producers.indices {
            let producer = producers[(p + catchUpTurn) % producers.count]
            guard left > 0, producer.core.pointee.catchingUp > 0 else { continue }
            catchUp(with: producer, left: &left, into: &batch, flush)
        }
    }

    /// Lays out the consumers of one producer, one after another, and continues where the last call ended.
    private func catchUp(
        with producer: Producer, left: inout Int, into batch: inout EgressBatch,
        _ flush: (inout EgressBatch) -> Void
    ) {
        let core = producer.core
        let count = core.pointee.consumerCount
        let full = batch.slab + EgressBatch.groupBytes
        var cursor = batch.slab
        var i = core.pointee.catchUpNext
        for _ in 0..<count {
            guard left > 0 else { break }
            if i >= count { i = 0 }
            let consumer = core.pointee.consumers + i
            i += 1
            guard consumer.pointee.state == .catchingUp else { continue }
            let path = paths + consumer.pointee.path
            path.pointee.cursor = cursor
            path.pointee.message = -1
            left -= catchUp(consumer, of: producer, limit: min(Self.catchUpPackets, left), into: &batch)
            cursor = path.pointee.cursor ?? cursor
            if cursor >= full {
                flush(&batch)
                if batch.hasDrops { settleDrops(of: batch, core: core, isFirstTime: true) }
                batch.removeAll()
                cursor = batch.slab
            }
        }
        core.pointee.catchUpNext = i
        if batch.jobCount > 0 { flush(&batch) }
        if batch.hasDrops { settleDrops(of: batch, core: core, isFirstTime: true) }
        batch.removeAll()
    }

    /// Lays out the next packets of one consumer.
    /// - Returns: number of packets that were added.
    private func catchUp(
        _ consumer: UnsafeMutablePointer<Consumer>, of producer: Producer, limit: Int, into batch: inout EgressBatch
    ) -> Int {
        let core = producer.core
        let path = paths + consumer.pointee.path
        var sent = 0
        var missing = 0
        if path.pointee.pacing.isOn { path.pointee.pacing.refill(now: batch.now) }
        while sent < limit, !path.pointee.pacing.isSpent, consumer.pointee.next <= producer.latestSequence {
            guard let slot = core.pointee.ring.find(consumer.pointee.next) else {
                if path.pointee.pacing.isOn, core.pointee.ring.hasLost(consumer.pointee.next) {
                    restart(consumer, of: producer)
                    return sent
                }
                consumer.pointee.next += 1  // missing: leaves a gap in the consumer's numbers
                missing += 1
                if missing % Self.missingPerPacket == 0 { sent += 1 }
                continue
            }
            let packet = PendingPacket(producer: core, slot: slot)
            if consumer.pointee.partner != nil, !packet.isLate,
                packet.startsFrame(after: consumer.pointee.progress, consumer.pointee.rewrite),
                handOver(from: consumer, of: core)
            {
                return sent
            }
            adapt(consumer, at: packet, of: core)
            let sequence = consumer.pointee.rewrite.sequence(of: packet)
            if consumer.pointee.rewrite.leavesOut(packet) {
                if packet.isLate {
                    batch.appendFiller(
                        packet, sequence: sequence, rewrite: consumer.pointee.rewrite, of: consumer, to: path)
                    consumer.pointee.sentFiller(packet, as: sequence)
                    // A filler uses a packet's entry in the batch, however short it is.
                    sent += 1
                }
                consumer.pointee.next = packet.sequence + 1
                continue
            }
            if packet.sequence == core.pointee.undecided, consumer.pointee.rewrite.awaitsEnd(packet) {
                // The next packet brings it.
                consumer.pointee.state = consumer.pointee.level
                core.pointee.catchingUp -= 1
                return sent
            }
            withUnsafePointer(to: packet) {
                batch.append($0, sequence: sequence, rewrite: consumer.pointee.rewrite, of: consumer, to: path)
            }
            consumer.pointee.sent(packet, as: sequence)
            sent += 1
        }
        if consumer.pointee.next > producer.latestSequence {
            consumer.pointee.state = consumer.pointee.level
            core.pointee.catchingUp -= 1
        }
        return sent
    }

    /// Restarts a consumer whose path is so slow that the ring has discarded its packets. It continues at the newest cached key frame, or
    /// waits for the next.
    private func restart(_ consumer: UnsafeMutablePointer<Consumer>, of producer: Producer) {
        if let start = producer.cachedKeyFrame(), start.pointee.sequence > consumer.pointee.next,
            start.pointee.fields.layer <= consumer.pointee.layerLimit
        {
            consumer.pointee.begin(at: PendingPacket(producer: producer.core, slot: start), state: .catchingUp)
            return
        }
        consumer.pointee.state = .waiting
        producer.core.pointee.catchingUp -= 1
        producer.keyFrames.request()
    }
}
