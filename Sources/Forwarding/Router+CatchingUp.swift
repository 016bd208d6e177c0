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
        now: MediaTime = .zero, into batch: inout EgressBatch, _ flush: (inout EgressBatch) -> Void
    ) {
        precondition(pendingCount == 0)
        let count = producers.reduce(0) { $0 + $1.core.pointee.catchingUp }
        guard count > 0 else { return }
        batch.begin(now: now)
        let limit = max(1, min(Self.catchUpPackets, Self.catchUpPacketsOfAll / count))
        for producer in producers where producer.core.pointee.catchingUp > 0 {
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
        while sent < limit, consumer.pointee.next <= producer.latestSequence {
            guard let slot = core.pointee.ring.find(consumer.pointee.next) else {
                consumer.pointee.next += 1  // lost: the gap stays a gap
                continue
            }
            let packet = PendingPacket(producer: core, slot: slot)
            batch.append(
                packet, sequence: consumer.pointee.rewrite.sequence(of: packet.sequence),
                rewrite: consumer.pointee.rewrite, of: consumer, to: path)
            consumer.pointee.sent(packet)
            sent += 1
        }
        if consumer.pointee.next > producer.latestSequence {
            consumer.pointee.state = .live
            core.pointee.catchingUp -= 1
        }
    }
}
