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
        now: MediaTime = .zero, into batch: inout EgressBatch, _ flush: (inout EgressBatch) -> Void
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
            batch.removeAll()
            start = end
        }
        pendingCount = 0
        pendingBytes = 0
    }

    /// One group of paths: packet by packet, and for each packet the consumers on these paths.
    private func forward(to group: Range<Int>, perPath: Int, into batch: inout EgressBatch) {
        var cursor = batch.slab
        for p in group {
            paths[p].cursor = cursor
            paths[p].message = -1
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
                if consumer.pointee.state == .live {
                    guard packet.pointee.sequence >= consumer.pointee.first else { continue }
                } else if !admit(packet, to: consumer, of: core) {
                    continue
                }
                batch.append(
                    packet.pointee, sequence: consumer.pointee.rewrite.sequence(of: packet.pointee.sequence),
                    rewrite: consumer.pointee.rewrite, of: consumer, to: paths + consumer.pointee.path)
                consumer.pointee.sent(packet.pointee)
            }
        }
    }

    /// Whether a packet goes to a consumer that is not simply live.
    private func admit(
        _ packet: UnsafeMutablePointer<PendingPacket>, to consumer: UnsafeMutablePointer<Consumer>,
        of core: UnsafeMutablePointer<ProducerCore>
    ) -> Bool {
        switch consumer.pointee.state {
        case .live:
            return true
        case .paused:
            return false
        case .waiting:
            guard packet.pointee.startsStream, packet.pointee.sequence >= consumer.pointee.next else { return false }
            guard packet.pointee.isLate else {
                consumer.pointee.begin(at: packet.pointee, state: .live)
                return true
            }
            // What follows a late packet went by already: a key frame is read from the ring, sound starts with what comes next.
            if !packet.pointee.isAudio {
                consumer.pointee.begin(at: packet.pointee, state: .catchingUp)
                core.pointee.catchingUp += 1
                hasNewCatchUps = true
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
