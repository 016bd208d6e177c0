package import MediaBase

/// Consumers that read the ring: those that joined a stream that runs.
extension Router {
    /// What a consumer that catches up gets in one call: at one call a millisecond about 150 Mb/s. Less where many catch up at once,
    /// so that a call stays short.
    private static let catchUpPackets = 16
    private static let catchUpPacketsOfAll = 1024

    package var isCatchingUp: Bool {
        for producer in producers where producer.core.pointee.catchingUp > 0 { return true }
        return false
    }

    /// Sends consumers that catch up their next packets. Call about once a millisecond while `isCatchingUp`, with nothing pending.
    package func catchUp(
        now: MediaTime, into batch: inout EgressBatch, _ flush: (inout EgressBatch) -> Void
    ) {
        precondition(pendingCount == 0)
        let count = producers.reduce(0) { $0 + $1.core.pointee.catchingUp }
        guard count > 0 else { return }
        batch.begin(now: now)
        let limit = max(1, min(Self.catchUpPackets, Self.catchUpPacketsOfAll / count))
        // By turns, so that of several tracks on one path that is paced each gets its share.
        catchUpTurn &+= 1
        for p in producers.indices {
            let producer = producers[(p + catchUpTurn) % producers.count]
            guard producer.core.pointee.catchingUp > 0 else { continue }
            for i in 0..<producer.core.pointee.consumerCount
            where producer.core.pointee.consumers[i].state == .catchingUp {
                catchUp(producer.core.pointee.consumers + i, of: producer, limit: limit, into: &batch)
                if batch.jobCount > 0 { flush(&batch) }
                batch.removeAll()
            }
        }
    }

    private func catchUp(
        _ consumer: UnsafeMutablePointer<Consumer>, of producer: Producer, limit: Int, into batch: inout EgressBatch
    ) {
        let core = producer.core
        let path = paths + consumer.pointee.path
        path.pointee.cursor = batch.slab
        path.pointee.message = -1
        var sent = 0
        if path.pointee.pacing.isOn { path.pointee.pacing.refill(now: batch.now) }
        while sent < limit, !path.pointee.pacing.isSpent, consumer.pointee.next <= producer.latestSequence {
            guard let slot = core.pointee.ring.find(consumer.pointee.next) else {
                if path.pointee.pacing.isOn, core.pointee.ring.hasLost(consumer.pointee.next) {
                    restart(consumer, of: producer)
                    return
                }
                consumer.pointee.next += 1  // lost: the gap stays a gap
                continue
            }
            let packet = PendingPacket(producer: core, slot: slot)
            if consumer.pointee.partner != nil, !packet.isLate,
                packet.startsPicture(after: consumer.pointee.progress, consumer.pointee.rewrite),
                handOver(from: consumer, of: core)
            {
                return
            }
            consumer.pointee.adapt(at: packet)
            let sequence = consumer.pointee.rewrite.sequence(of: packet)
            if consumer.pointee.rewrite.leavesOut(packet) {
                if packet.isLate {
                    batch.appendFiller(
                        packet, sequence: sequence, rewrite: consumer.pointee.rewrite, of: consumer, to: path)
                    consumer.pointee.sentFiller(packet, as: sequence)
                }
                consumer.pointee.next = packet.sequence + 1
                continue
            }
            batch.append(packet, sequence: sequence, rewrite: consumer.pointee.rewrite, of: consumer, to: path)
            consumer.pointee.sent(packet, as: sequence)
            sent += 1
        }
        if consumer.pointee.next > producer.latestSequence {
            consumer.pointee.state = consumer.pointee.level
            core.pointee.catchingUp -= 1
        }
    }

    /// A path is so slow that its video fell out of the ring: it goes on at the newest key frame, or at the next.
    private func restart(_ consumer: UnsafeMutablePointer<Consumer>, of producer: Producer) {
        if let start = producer.cachedKeyFrame(), start.pointee.sequence > consumer.pointee.next,
            start.pointee.vp8.temporalLayer <= consumer.pointee.temporalLimit
        {
            consumer.pointee.begin(at: PendingPacket(producer: producer.core, slot: start), state: .catchingUp)
            return
        }
        consumer.pointee.state = .waiting
        producer.core.pointee.catchingUp -= 1
        producer.keyFrames.request()
    }
}
