package import MediaBase
internal import SRTP

/// Producers to consumers: the fan-out of one session on one worker. Packets are taken as they come and leave in batches; what has to
/// be sent comes out through the closure handed to `forward`, protected and sent there.
package final class Router {
    package static let maximumPending = 256
    /// Sizes that differ by no more are made equal by padding, so that one segmented send carries them.
    private static let paddingReach = PacketRing.maximumPadding
    /// What a consumer that catches up gets in one call: at one call a millisecond about 150 Mb/s. Less where many catch up at once,
    /// so that a call stays short.
    private static let catchUpPackets = 16
    private static let catchUpPacketsOfAll = 1024
    /// Packets that one request for retransmission can bring.
    private static let retransmittedPackets = 64

    package private(set) var producers: [Producer] = []
    private var paths: UnsafeMutablePointer<EgressPath>
    package private(set) var pathCount = 0
    private var pathCapacity: Int
    private var freePaths: [Int] = []
    private let pending: UnsafeMutablePointer<PendingPacket>
    package private(set) var pendingCount = 0
    private var pendingBytes = 0
    /// Somebody has begun to catch up; whoever calls `catchUp` resets it.
    package var hasNewCatchUps = false

    package init() {
        pathCapacity = 8
        paths = .allocate(capacity: 8)
        pending = .allocate(capacity: Self.maximumPending)
    }

    deinit {
        paths.deallocate()
        pending.deallocate()
    }

    // MARK: members

    package func add(_ producer: Producer) { producers.append(producer) }

    /// Drops the producer and its consumers. Nothing of it may be pending.
    package func remove(_ producer: Producer) {
        precondition(pendingCount == 0)
        producers.removeAll { $0 === producer }
    }

    /// The new path's index.
    package func open(_ path: EgressPath) -> Int {
        if let index = freePaths.popLast() {
            paths[index] = path
            return index
        }
        if pathCount == pathCapacity {
            precondition(pendingCount == 0)
            let grown = UnsafeMutablePointer<EgressPath>.allocate(capacity: pathCapacity * 2)
            grown.moveInitialize(from: paths, count: pathCount)
            paths.deallocate()
            paths = grown
            pathCapacity *= 2
        }
        (paths + pathCount).initialize(to: path)
        pathCount += 1
        return pathCount - 1
    }

    /// Gives the path up with every consumer on it.
    package func close(path: Int) {
        precondition(pendingCount == 0)
        for producer in producers { _ = producer.core.pointee.remove(path: path) }
        paths[path].isOpen = false
        freePaths.append(path)
    }

    package func path(_ index: Int) -> UnsafeMutablePointer<EgressPath> { paths + index }

    /// Adds a consumer. Unless it is paused, it starts with the cached pictures since the last key frame where there are any.
    /// - Returns: true where a key frame has to be asked for.
    package func subscribe(_ consumer: Consumer, to producer: Producer) -> Bool {
        var consumer = consumer
        var wantsKeyFrame = false
        if producer.kind == .video, consumer.state != .paused {
            if let start = producer.cachedKeyFrame() {
                consumer.begin(at: PendingPacket(producer: producer.core, slot: start), state: .catchingUp)
                producer.core.pointee.catchingUp += 1
                hasNewCatchUps = true
            } else {
                wantsKeyFrame = true
            }
        }
        producer.core.pointee.insert(consumer)
        return wantsKeyFrame
    }

    /// Removes one consumer and says where its viewer's stream stands.
    package func unsubscribe(path: Int, from producer: Producer) -> Consumer.Progress? {
        guard let i = producer.core.pointee.index(path: path) else { return nil }
        let progress = producer.core.pointee.consumers[i].progress
        _ = producer.core.pointee.remove(path: path)
        return progress
    }

    /// Pauses or resumes one consumer. - Returns: true where a key frame has to be asked for.
    package func setPaused(_ paused: Bool, path: Int, producer: Producer) -> Bool {
        guard let i = producer.core.pointee.index(path: path) else { return false }
        let consumer = producer.core.pointee.consumers + i
        if paused {
            if consumer.pointee.state == .catchingUp { producer.core.pointee.catchingUp -= 1 }
            consumer.pointee.state = .paused
            return false
        }
        guard consumer.pointee.state == .paused else { return false }
        consumer.pointee.state = .waiting
        return producer.kind == .video
    }

    // MARK: packets

    /// Queues a stored packet for the next flush. False when the queue is full: flush, then queue again.
    package func enqueue(_ slot: UnsafeMutablePointer<StoredPacket>, of producer: Producer) -> Bool {
        let bytes = EgressBatch.bytes(payload: Int(slot.pointee.payloadLength) + Self.paddingReach)
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

    package var isCatchingUp: Bool {
        for producer in producers where producer.core.pointee.catchingUp > 0 { return true }
        return false
    }

    /// Lays out everything that is pending. `flush` gets a full batch each time and empties it.
    package func forward(into batch: inout EgressBatch, _ flush: (inout EgressBatch) -> Void) {
        guard pendingCount > 0 else { return }
        equalizeSizes()
        var perPath = 0
        var oldest = MediaTime.never
        for i in 0..<pendingCount {
            perPath += EgressBatch.bytes(payload: pending[i].payloadLength)
            if pending[i].arrival < oldest { oldest = pending[i].arrival }
            pending[i].producer.pointee.groupStart = 0
            pending[i].producer.pointee.pendingSince = -1
        }
        let group = max(1, min(EgressBatch.groupBytes / perPath, EgressBatch.maximumPackets / pendingCount))
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
                    packet.pointee, rewrite: consumer.pointee.rewrite, ssrc: consumer.pointee.ssrc.rawValue,
                    payloadType: consumer.pointee.payloadType.rawValue, to: paths + consumer.pointee.path)
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

    /// Sends consumers that catch up their next packets. Call about once a millisecond while `isCatchingUp`, with nothing pending.
    package func catchUp(into batch: inout EgressBatch, _ flush: (inout EgressBatch) -> Void) {
        precondition(pendingCount == 0)
        let count = producers.reduce(0) { $0 + $1.core.pointee.catchingUp }
        guard count > 0 else { return }
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
                packet, rewrite: consumer.pointee.rewrite, ssrc: consumer.pointee.ssrc.rawValue,
                payloadType: consumer.pointee.payloadType.rawValue, to: path)
            consumer.pointee.sent(packet)
            sent += 1
        }
        if consumer.pointee.next > producer.latestSequence {
            consumer.pointee.state = .live
            core.pointee.catchingUp -= 1
        }
    }

    /// Sends packets again that a viewer missed, as they were sent first (RFC 4585 section 6.2.1): same sequence number, same picture id.
    /// - Parameter consumerSequences: as the viewer names them.
    /// - Returns: how many of them are still held.
    package func retransmit(
        _ consumerSequences: some Sequence<SequenceNumber>, path index: Int, producer: Producer,
        into batch: inout EgressBatch, _ flush: (inout EgressBatch) -> Void
    ) -> Int {
        let core = producer.core
        guard let c = core.pointee.index(path: index) else { return 0 }
        let consumer = core.pointee.consumers + c
        let path = paths + index
        path.pointee.cursor = batch.slab
        path.pointee.message = -1
        let newest = SequenceNumber(UInt16(truncatingIfNeeded: consumer.pointee.progress.sequence))
        let jobs = batch.jobs
        var sent = 0
        for sequence in consumerSequences {
            guard sent < Self.retransmittedPackets else { break }
            let unwrapped = consumer.pointee.progress.sequence + Int64(sequence.distance(from: newest))
            // Named twice, sent once: a request is not to be an amplifier.
            let index = UInt64(bitPattern: unwrapped) & 0xffff_ffff_ffff
            if (0..<sent).contains(where: { jobs[$0].index == index }) { continue }
            guard let found = consumer.pointee.history.find(consumerSequence: unwrapped),
                unwrapped <= consumer.pointee.progress.sequence,
                let slot = core.pointee.ring.find(found.producerSequence)
            else { continue }
            batch.append(
                PendingPacket(producer: core, slot: slot), rewrite: found.rewrite, ssrc: consumer.pointee.ssrc.rawValue,
                payloadType: consumer.pointee.payloadType.rawValue, to: path)
            consumer.pointee.retransmitted += 1
            sent += 1
        }
        if batch.jobCount > 0 { flush(&batch) }
        batch.removeAll()
        return sent
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

extension PendingPacket {
    /// True where a decoder that has seen nothing yet can begin: the first packet of a key frame, or any packet without a VP8 descriptor.
    @inline(__always)
    var startsStream: Bool { startsKeyFrame || isAudio }
}
