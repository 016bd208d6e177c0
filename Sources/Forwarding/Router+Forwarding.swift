package import MediaBase

/// From what publishers sent to a laid-out batch: the packet path.
extension Router {
    /// Sizes that differ by no more are made equal by padding, so that one segmented send carries them.
    private static let paddingReach = PacketRing.maximumPadding

    /// Queues a stored packet for the next flush. False when the queue is full: flush, then queue again.
    package func enqueue(_ slot: UnsafeMutablePointer<StoredPacket>, of producer: Producer) -> Bool {
        let bytes = EgressBatch.bytes(
            payload: Int(slot.pointee.payloadLength) + Self.paddingReach, header: EgressBatch.maximumHeader)
        guard pendingCount < Self.maximumPending, pendingBytes + bytes <= EgressBatch.slabBytes else { return false }
        // What is pending points into the ring, which may be smaller than the queue: it leaves before the ring comes round.
        let core = producer.core
        if core.pointee.pendingSince < 0 {
            core.pointee.pendingSince = slot.pointee.position
        } else if slot.pointee.position - core.pointee.pendingSince > core.pointee.ring.arenaBytes / 2 {
            return false
        }
        pendingBytes += bytes
        (pending + pendingCount).initialize(to: PendingPacket(producer: producer.core, slot: slot))
        pendingCount += 1
        return true
    }

    /// Lays out everything that is pending. `flush` gets a full batch each time and empties it.
    /// - Parameter now: when it leaves, as abs-send-time and the notes of what was sent say it.
    package func forward(
        now: MediaTime, into batch: inout EgressBatch, _ flush: (inout EgressBatch) -> Void
    ) {
        guard pendingCount > 0 else { return }
        equalizeSizes()
        var perPath = 0
        var oldest = MediaTime.never
        for i in 0..<pendingCount {
            perPath += EgressBatch.bytes(payload: pending[i].payloadLength, header: longestHeader)
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

    /// One group of paths: packet by packet, and for each packet the consumers on these paths.
    private func forward(to group: Range<Int>, perPath: Int, into batch: inout EgressBatch) {
        var cursor = batch.slab
        for p in group {
            paths[p].cursor = cursor
            paths[p].message = -1
            if paths[p].pacing.isOn { paths[p].pacing.refill(now: batch.now) }
            // Nothing waits for this: the memory of many paths is fetched at once, where packet after packet would wait for it.
            if let sent = paths[p].sent { batch.fetched &+= sent.pointee.fetch() }
            cursor += perPath
        }
        for i in 0..<pendingCount {
            let packet = pending + i
            let core = packet.pointee.producer
            let consumers = core.pointee.consumers
            let count = core.pointee.consumerCount
            var c = core.pointee.groupStart
            // The first packet of this producer in this group moves the start up; the others find it there.
            while c < count, consumers[c].path < group.lowerBound { c += 1 }
            core.pointee.groupStart = c
            while c < count, consumers[c].path < group.upperBound {
                let consumer = consumers + c
                c += 1
                if consumer.pointee.state != .live, !admit(packet, to: consumer, of: core) { continue }
                if packet.pointee.sequence < consumer.pointee.first
                    || consumer.pointee.rewrite.leavesOut(packet.pointee)
                {
                    if packet.pointee.isLate { fill(packet, for: consumer, into: &batch) }
                    continue
                }
                let path = paths + consumer.pointee.path
                if path.pointee.pacing.isSpent, hold(packet, for: consumer, of: core) { continue }
                let sequence = consumer.pointee.rewrite.sequence(of: packet.pointee)
                batch.append(
                    packet, sequence: sequence, rewrite: consumer.pointee.rewrite, of: consumer, to: path)
                consumer.pointee.sent(packet.pointee, as: sequence)
            }
        }
    }

    /// A late packet that is above the limit, or from before a change of rewrite: it fills the gap that was left for it.
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

    /// A path has spent what it may send at once: its video is read from the ring from here on, at the path's rate.
    /// - Returns: false for what does not wait: sound, and late packets.
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

    /// Whether a packet goes to a consumer that is not simply live.
    private func admit(
        _ packet: UnsafeMutablePointer<PendingPacket>, to consumer: UnsafeMutablePointer<Consumer>,
        of core: UnsafeMutablePointer<ProducerCore>
    ) -> Bool {
        switch consumer.pointee.state {
        case .live:
            return true
        case .adapting:
            if consumer.pointee.partner != nil, !packet.pointee.isLate,
                packet.pointee.startsPicture(after: consumer.pointee.progress, consumer.pointee.rewrite),
                handOver(from: consumer, of: core)
            {
                return false
            }
            consumer.pointee.adapt(at: packet.pointee)
            return true
        case .expecting:
            return expect(packet, for: consumer, of: core)
        case .paused, .retired:
            return false
        case .waiting:
            guard packet.pointee.startsStream, packet.pointee.sequence >= consumer.pointee.next,
                packet.pointee.vp8.temporalLayer <= consumer.pointee.temporalLimit
            else { return false }
            guard packet.pointee.isLate else {
                consumer.pointee.begin(at: packet.pointee, state: .live)
                consumer.pointee.state = consumer.pointee.level
                return true
            }
            // What follows a late packet went by already: a key frame is read from the ring, sound starts with what comes next.
            if !packet.pointee.isAudio {
                startCatchingUp(consumer, of: core, at: packet.pointee)
            }
            return false
        case .catchingUp:
            // What it has not read yet it will find in the ring; what it has passed came late.
            return packet.pointee.sequence < consumer.pointee.next && packet.pointee.sequence >= consumer.pointee.first
        }
    }

    /// Pads neighbours whose sizes nearly agree. Once for all consumers: the padding is part of the shared packet.
    private func equalizeSizes() {
        var i = 0
        while i < pendingCount {
            var low = pending[i].payloadLength
            var high = low
            var j = i + 1
            while j < pendingCount {
                let length = pending[j].payloadLength
                guard max(high, length) - min(low, length) <= Self.paddingReach else { break }
                low = min(low, length)
                high = max(high, length)
                j += 1
            }
            if low != high {
                for k in i..<j where pending[k].payloadLength < high { pending[k].pad(to: high) }
            }
            i = j
        }
    }
}
