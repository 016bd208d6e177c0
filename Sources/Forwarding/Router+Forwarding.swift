package import MediaBase

/// Packet path: lays out the packets that publishers sent into batches.
extension Router {
    /// Queues a stored packet for the next flush, after the one that was deferred until it arrived. Returns false if the queue is full: the
    /// caller must flush and queue the packet again.
    package func enqueue(_ slot: UnsafeMutablePointer<StoredPacket>, of producer: Producer) -> Bool {
        let core = producer.core
        if core.pointee.deferred != ProducerCore.noPacket {
            if let deferred = core.pointee.ring.find(core.pointee.deferred) {
                guard enqueue(deferred, of: core, .deferred) else { return false }
            }
            core.pointee.deferred = ProducerCore.noPacket
        }
        return enqueue(slot, of: core, slot.pointee.sequence == core.pointee.undecided ? .early : .all)
    }

    private func enqueue(
        _ slot: UnsafeMutablePointer<StoredPacket>, of core: UnsafeMutablePointer<ProducerCore>,
        _ turn: PendingPacket.Turn
    ) -> Bool {
        let bytes = EgressBatch.bytes(
            payload: Int(slot.pointee.payloadLength) + PacketRing.maximumPadding
                + slot.pointee.extensions.descriptorRoom,
            header: EgressBatch.maximumHeader)
        guard pendingCount < Self.maximumPending, pendingBytes + bytes <= EgressBatch.slabBytes else { return false }
        // Pending packets point into the ring's arena, which may be smaller than the queue. They must leave before the arena is
        // overwritten.
        if core.pointee.pendingSince < 0 {
            core.pointee.pendingSince = slot.pointee.position
        } else if slot.pointee.position - core.pointee.pendingSince > core.pointee.ring.arenaBytes / 2 {
            return false
        }
        pendingBytes += bytes
        (pending + pendingCount).initialize(to: PendingPacket(producer: core, slot: slot, turn: turn))
        pendingCount += 1
        return true
    }

    /// Lays out all pending packets. Calls `flush` with each full batch, which it must send; the batch is emptied afterwards.
    /// - Parameter now: send time, for abs-send-time and the rings of sent packets.
    package func forward(
        now: MediaTime, into batch: inout EgressBatch, _ flush: (inout EgressBatch) -> Void
    ) {
        guard pendingCount > 0 else { return }
        arrangePending(maximumSegments: batch.maximumSegments)
        var perPath = 0
        var oldest = MediaTime.never
        for i in 0..<pendingCount {
            perPath += EgressBatch.bytes(
                payload: pending[i].payloadLength + pending[i].extensions.descriptorRoom, header: longestHeader)
            if pending[i].arrival < oldest { oldest = pending[i].arrival }
            pending[i].producer.pointee.groupStart = 0
            pending[i].producer.pointee.pendingSince = -1
        }
        let group = max(1, min(EgressBatch.groupBytes / perPath, EgressBatch.maximumPackets / pendingCount))
        batch.begin(now: now)
        var start = 0
        while start < pathCount {
            let end = min(start + group, pathCount)
            batch.oldestArrival = oldest
            forward(to: start..<end, perPath: perPath, into: &batch)
            if batch.jobCount > 0 { flush(&batch) }
            if batch.hasDrops { settleDrops(of: batch, core: nil, isFirstTime: true) }
            batch.removeAll()
            start = end
        }
        pendingCount = 0
        pendingBytes = 0
        if now >= nextSweep { sweep(now: now) }
    }

    /// Lays out the pending packets for one group of paths: for each packet, the consumers on these paths.
    private func forward(to group: Range<Int>, perPath: Int, into batch: inout EgressBatch) {
        var cursor = batch.slab
        for p in group {
            paths[p].cursor = cursor
            paths[p].message = -1
            if paths[p].pacing.isOn { paths[p].pacing.refill(now: batch.now) }
            // This prefetch is non-blocking: the memory of many paths is loaded at once, instead of one cache miss per packet later.
            if let sent = paths[p].sent { batch.fetched &+= sent.pointee.fetch() }
            cursor += perPath
        }
        for i in 0..<pendingCount {
            let packet = pending + Int(sendOrder[i])
            let core = packet.pointee.producer
            let consumers = core.pointee.consumers
            let count = core.pointee.consumerCount
            var c = core.pointee.groupStart
            // The producer's first packet in this group advances the start; its other packets reuse it.
            while c < count, consumers[c].path < group.lowerBound { c += 1 }
            core.pointee.groupStart = c
            while c < count, consumers[c].path < group.upperBound {
                let consumer = consumers + c
                c += 1
                if packet.pointee.turn == .deferred, packet.pointee.sequence < consumer.pointee.next { continue }
                if consumer.pointee.state != .live, !admit(packet, to: consumer, of: core) { continue }
                if packet.pointee.sequence < consumer.pointee.first
                    || consumer.pointee.rewrite.leavesOut(packet.pointee)
                {
                    if packet.pointee.isLate { fill(packet, for: consumer, into: &batch) }
                    continue
                }
                if packet.pointee.turn == .early, consumer.pointee.rewrite.awaitsEnd(packet.pointee) { continue }
                let path = paths + consumer.pointee.path
                if path.pointee.pacing.isSpent, hold(packet, for: consumer, of: core) { continue }
                let sequence = consumer.pointee.rewrite.sequence(of: packet.pointee)
                batch.append(
                    packet, sequence: sequence, rewrite: consumer.pointee.rewrite, of: consumer, to: path)
                consumer.pointee.sent(packet.pointee, as: sequence)
            }
        }
    }

    /// Sends a late packet that is above the limit or from before a change of rewrite. It fills the number that was reserved for it.
    private func fill(
        _ packet: UnsafeMutablePointer<PendingPacket>, for consumer: UnsafeMutablePointer<Consumer>,
        into batch: inout EgressBatch
    ) {
        guard let rewrite = consumer.pointee.history.rewrite(producerSequence: packet.pointee.sequence) else { return }
        let path = paths + consumer.pointee.path
        let sequence = rewrite.sequence(of: packet.pointee)
        if rewrite.leavesOut(packet.pointee) {
            batch.appendFiller(packet.pointee, sequence: sequence, rewrite: rewrite, of: consumer, to: path)
            consumer.pointee.sentFiller(packet.pointee, as: sequence)
        } else {
            batch.append(packet, sequence: sequence, rewrite: rewrite, of: consumer, to: path)
            consumer.pointee.sentLate(packet.pointee, as: sequence, rewrite)
        }
    }

    /// Switches a consumer to reading from the ring at the path's rate, because the path has used up its burst.
    /// - Returns: false for packets that are not delayed: audio and late packets.
    private func hold(
        _ packet: UnsafeMutablePointer<PendingPacket>, for consumer: UnsafeMutablePointer<Consumer>,
        of core: UnsafeMutablePointer<ProducerCore>
    ) -> Bool {
        guard !packet.pointee.isAudio, !packet.pointee.isLate, consumer.pointee.state != .catchingUp else {
            return false
        }
        consumer.pointee.next = packet.pointee.sequence
        consumer.pointee.state = .catchingUp
        core.pointee.catchingUp += 1
        hasNewCatchUps = true
        return true
    }

    /// Returns whether a packet is sent to a consumer whose state is not simply `live`.
    private func admit(
        _ packet: UnsafeMutablePointer<PendingPacket>, to consumer: UnsafeMutablePointer<Consumer>,
        of core: UnsafeMutablePointer<ProducerCore>
    ) -> Bool {
        switch consumer.pointee.state {
        case .live:
            return true
        case .adapting:
            if consumer.pointee.partner != nil, !packet.pointee.isLate,
                packet.pointee.startsFrame(after: consumer.pointee.progress, consumer.pointee.rewrite),
                handOver(from: consumer, of: core)
            {
                return false
            }
            adapt(consumer, at: packet.pointee, of: core)
            return true
        case .expecting:
            return expect(packet, for: consumer, of: core)
        case .paused, .retired:
            return false
        case .waiting:
            guard packet.pointee.startsStream, packet.pointee.sequence >= consumer.pointee.next,
                packet.pointee.fields.layer <= consumer.pointee.layerLimit
            else { return false }
            guard packet.pointee.isLate else {
                consumer.pointee.begin(at: packet.pointee, state: .live)
                consumer.pointee.state = consumer.pointee.level
                return true
            }
            // The packets after a late one have passed already: a key frame is read from the ring, audio starts at the next packet.
            if !packet.pointee.isAudio {
                startCatchingUp(consumer, of: core, at: packet.pointee)
            }
            return false
        case .catchingUp:
            // Packets that it has not read yet will be read from the ring. A packet below `next` is a late one.
            return packet.pointee.sequence < consumer.pointee.next && packet.pointee.sequence >= consumer.pointee.first
        }
    }
}
