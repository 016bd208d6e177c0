package import MediaBase

/// Handling of packets that the kernel refused: they are counted by path and cause, and a video track that lost a packet is dropped until
/// its next key frame. The decoder cannot use the rest of the frame, and frames that depend on it would only lengthen the queue.
///
/// The sequence numbers of refused packets stay used: another packet under the same number would repeat its SRTP index. They are not
/// retransmitted, since the key frame replaces them. Audio continues with the next packet.
extension Router {
    /// Handles the refused packets of a batch that has just been sent.
    /// - Parameters:
    ///   - core: producer of the packets if all are from one, else nil.
    ///   - isFirstTime: false for retransmissions and probes, whose loss leaves no gap in a frame.
    func settleDrops(
        of batch: borrowing EgressBatch, core: UnsafeMutablePointer<ProducerCore>?, isFirstTime: Bool
    ) {
        for lane in EgressLane.allCases {
            for message in batch.messages(of: lane) {
                guard let cause = message.drop else { continue }
                settle(message, cause, core: core, isFirstTime: isFirstTime, now: batch.now)
            }
        }
    }

    private func settle(
        _ message: EgressMessage, _ cause: SendDropCause, core: UnsafeMutablePointer<ProducerCore>?,
        isFirstTime: Bool, now: MediaTime
    ) {
        let path = EgressBatch.path(of: message) - UnsafePointer(paths)
        var drops = pathDrops[path] ?? PathDrops()
        if drops.newPackets == 0 { droppedPaths.append(path) }
        drops.newPackets += message.packets
        drops.newBytes += Int(message.length)
        drops.counts[cause] &+= UInt64(message.packets)
        pathDrops[path] = drops
        var at = 0
        while at < Int(message.length) {
            let length = min(Int(message.segment), Int(message.length) - at)
            settle(message.data + at, length: length, path: path, core: core, isFirstTime: isFirstTime, now: now)
            at += length
        }
    }

    /// Handles one refused packet. Its header and header extension are in clear text, the rest is encrypted.
    private func settle(
        _ packet: UnsafePointer<UInt8>, length: Int, path: Int, core: UnsafeMutablePointer<ProducerCore>?,
        isFirstTime: Bool, now: MediaTime
    ) {
        let raw = UnsafeRawPointer(packet)
        let ssrc = SSRC(UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
        guard let (owner, consumer) = consumer(path: path, ssrc: ssrc, core: core) else { return }
        if let number = consumer.pointee.extensions.number(in: raw), let sent = paths[path].sent {
            sent.pointee.withdraw(number)
        }
        guard isFirstTime else { return }
        let header = EgressBatch.fixedHeader + consumer.pointee.extensions.length(in: raw)
        consumer.pointee.progress.packets &-= 1
        consumer.pointee.progress.payloadBytes &-= UInt64(max(0, length - header - paths[path].tagLength))
        if !owner.pointee.isAudio { cut(consumer, of: owner, now: now) }
    }

    /// Returns the consumer that sent a packet of this SSRC. Searches the producers of the batch first, then all others.
    private func consumer(
        path: Int, ssrc: SSRC, core: UnsafeMutablePointer<ProducerCore>?
    ) -> (UnsafeMutablePointer<ProducerCore>, UnsafeMutablePointer<Consumer>)? {
        if let core, let consumer = core.pointee.feedingConsumer(path: path, ssrc: ssrc) { return (core, consumer) }
        var last: UnsafeMutablePointer<ProducerCore>?
        for i in 0..<pendingCount where pending[i].producer != last {
            let core = pending[i].producer
            if let consumer = core.pointee.feedingConsumer(path: path, ssrc: ssrc) { return (core, consumer) }
            last = core
        }
        for producer in producers {
            if let consumer = producer.core.pointee.feedingConsumer(path: path, ssrc: ssrc) {
                return (producer.core, consumer)
            }
        }
        return nil
    }

    /// Drops a consumer's video until the next key frame, and requests that key frame.
    private func cut(
        _ consumer: UnsafeMutablePointer<Consumer>, of core: UnsafeMutablePointer<ProducerCore>, now: MediaTime
    ) {
        switch consumer.pointee.state {
        case .catchingUp:
            core.pointee.catchingUp -= 1
            consumer.pointee.state = .waiting
        case .live, .adapting: consumer.pointee.state = .waiting
        case .waiting, .paused, .expecting, .retired: break
        }
        consumer.pointee.cutFrame()
        consumer.pointee.isCutOff = true
        consumer.pointee.progress.abandoned = consumer.pointee.progress.sequence
        guard consumer.pointee.state == .waiting, let producer = producers.first(where: { $0.core == core }) else {
            return
        }
        requestKeyFrame(of: producer, path: consumer.pointee.path, now: now)
    }

    func requestKeyFrame(of producer: Producer, path: Int, now: MediaTime) {
        guard !producer.keyFrames.isWanted else { return }
        guard pathDrops[path]?.mayRequest(now: now) != false else {
            if pathDrops[path]?.isRequestHeld == false { heldRequests.append(path) }
            pathDrops[path]?.isRequestHeld = true
            return
        }
        pathDrops[path]?.requested(now: now)
        producer.keyFrames.request()
    }

    /// Whether key frame requests are delayed until `takeHeldKeyFrameRequests(now:)`.
    package var holdsKeyFrameRequests: Bool { !heldRequests.isEmpty }

    /// Returns the producers whose key frames were delayed because paths kept dropping, and may be requested now. Call this every few
    /// hundred milliseconds. The caller sends the requests: a publisher of a still screen may send no packet with which they could go.
    package func takeHeldKeyFrameRequests(now: MediaTime) -> [Producer] {
        guard !heldRequests.isEmpty else { return [] }
        var wanted: [Producer] = []
        heldRequests.removeAll { path in
            guard let drops = pathDrops[path], drops.isRequestHeld else { return true }
            guard drops.mayRequest(now: now) else { return false }
            pathDrops[path]?.isRequestHeld = false
            var isRequested = false
            for producer in producers where producer.kind == .video {
                guard let i = producer.core.pointee.index(path: path),
                    producer.core.pointee.consumers[i].state == .waiting, producer.core.pointee.consumers[i].isCutOff
                else { continue }
                if !wanted.contains(where: { $0 === producer }) { wanted.append(producer) }
                isRequested = true
            }
            if isRequested { pathDrops[path]?.requested(now: now) }
            return true
        }
        return wanted
    }

    /// Returns the paths that have dropped packets since the last call.
    package func takeDrops() -> [PathDrop] {
        guard !droppedPaths.isEmpty else { return [] }
        let taken = droppedPaths.compactMap { path -> PathDrop? in
            guard let drops = pathDrops[path] else { return nil }
            pathDrops[path]?.newPackets = 0
            pathDrops[path]?.newBytes = 0
            return PathDrop(path: path, packets: drops.newPackets, bytes: drops.newBytes)
        }
        droppedPaths.removeAll(keepingCapacity: true)
        return taken
    }

    package var hasDrops: Bool { !droppedPaths.isEmpty }

    /// Returns counts of a path's unsent packets since it was opened, by cause.
    package func drops(path: Int) -> SendDropCounts { pathDrops[path]?.counts ?? SendDropCounts() }

    /// Returns whether a key frame may be requested for a path: false for a while after one that it dropped.
    func mayRequestKeyFrame(path: Int, now: MediaTime) -> Bool { pathDrops[path]?.mayRequest(now: now) ?? true }

    func forgetDrops(path: Int) {
        guard pathDrops.removeValue(forKey: path) != nil else { return }
        droppedPaths.removeAll { $0 == path }
        heldRequests.removeAll { $0 == path }
    }
}

extension ProducerCore {
    /// Returns the consumer whose media or RTX stream has this SSRC.
    fileprivate func feedingConsumer(path: Int, ssrc: SSRC) -> UnsafeMutablePointer<Consumer>? {
        guard let i = index(path: path) else { return nil }
        let consumer = consumers + i
        guard consumer.pointee.state.feeds, consumer.pointee.ssrc == ssrc || consumer.pointee.rtx?.ssrc == ssrc else {
            return nil
        }
        return consumer
    }
}
