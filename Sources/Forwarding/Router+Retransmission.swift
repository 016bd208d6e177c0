package import MediaBase

/// Retransmissions of packets that a subscriber missed, and probe packets that measure how much its path can carry.
extension Router {
    /// Maximum number of packets sent for one retransmission request or one call for padding.
    private static let retransmittedPackets = 64
    /// Age of audio from which it is not sent again over WebRTC: receivers play it with less delay and have replaced it.
    private static let audioLifetime = NACKGenerator.Timing.audio.lifetime
    /// Maximum number of unsuccessful lookups per request. A request can name thousands of packets, and an unsuccessful lookup takes the
    /// longest.
    private static let missedPackets = 256

    /// Retransmits packets that a subscriber missed: on the consumer's RTX stream (RFC 4588) if it has one, else as they were first sent
    /// (RFC 4585 section 6.2.1), with the same sequence number and PictureID.
    ///
    /// Without RTX, a header that changes with each transmission cannot be combined with an AEAD suite: two different packets under one
    /// nonce would reveal the authentication key (RFC 7714 section 9.1). Video of such a consumer is not retransmitted. Its audio is, byte by
    /// byte, as long as `SentHeaderLog` has the first header; its transport-wide number then appears a second time.
    ///
    /// - Parameter consumerSequences: sequence numbers as the subscriber names them.
    /// - Returns: number of packets that were sent, limited to `retransmittedPackets`.
    package func retransmit(
        _ consumerSequences: some Sequence<SequenceNumber>, path index: Int, producer: Producer, now: MediaTime,
        into batch: inout EgressBatch, _ flush: (inout EgressBatch) -> Void
    ) -> Int {
        guard let (feeder, consumer) = feedingConsumer(path: index, like: producer) else { return 0 }
        let core = feeder.core
        // Packets that were sent before a switch are in another producer's ring.
        let before = consumer.pointee.predecessor
        let earlier = before.flatMap { before in
            before.pointee.index(path: index).map { before.pointee.consumers + $0 }
        }
        guard prepareToResend(consumer, path: index, now, &batch) else { return 0 }
        let newest = SequenceNumber(UInt16(truncatingIfNeeded: consumer.pointee.progress.sequence))
        var sent = 0
        var missed = 0
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: Self.retransmittedPackets) { done in
            for sequence in consumerSequences {
                guard sent < Self.retransmittedPackets, missed < Self.missedPackets else { break }
                let unwrapped = consumer.pointee.progress.sequence + Int64(sequence.distance(from: newest))
                guard unwrapped > consumer.pointee.progress.abandoned else {
                    replaceAbandoned(of: consumer, from: feeder, now: now)
                    missed += 1
                    continue
                }
                // A packet that is named twice is sent once, so that a request cannot be used for amplification.
                if done[..<sent].contains(unwrapped) { continue }
                let packet: PendingPacket
                let rewrite: RTPRewrite
                if let found = consumer.pointee.find(unwrapped, in: core.pointee.ring) {
                    packet = PendingPacket(producer: core, slot: found.slot)
                    rewrite = found.rewrite
                } else if let before, let earlier, earlier.pointee.ssrc == consumer.pointee.ssrc,
                    let found = earlier.pointee.find(unwrapped, in: before.pointee.ring)
                {
                    packet = PendingPacket(producer: before, slot: found.slot)
                    rewrite = found.rewrite
                } else {
                    missed += 1
                    continue
                }
                guard !isExpired(packet, on: index, now: now),
                    resend(packet, as: unwrapped, rewrite: rewrite, of: consumer, probe: 0, into: &batch)
                else {
                    missed += 1
                    continue
                }
                consumer.pointee.retransmitted += 1
                done[sent] = unwrapped
                sent += 1
            }
        }
        if batch.jobCount > 0 { flush(&batch) }
        if batch.hasDrops { settleDrops(of: batch, core: core, isFirstTime: false) }
        batch.removeAll()
        return sent
    }

    /// Sends about `bytes` of probe packets to measure whether a path can carry more. They go out on a consumer's RTX stream: video packets
    /// that were sent before, or packets that contain only padding if there are none. Each is recorded with the probe's number.
    ///
    /// - Parameters:
    ///   - bytes: total length of the datagrams.
    ///   - probe: number of the probe; not 0.
    ///   - repeats: false: only padding is sent.
    /// - Returns: bytes that were sent; 0 if the path has no video consumer with an RTX stream.
    package func sendPadding(
        bytes: Int, path index: Int, probe: UInt16, repeats: Bool = true, now: MediaTime, into batch: inout EgressBatch,
        _ flush: (inout EgressBatch) -> Void
    ) -> Int {
        guard bytes > 0, let (core, consumer, rtx) = consumerForPadding(path: index),
            prepareToResend(consumer, path: index, now, &batch)
        else { return 0 }
        let path = paths + index
        let start = batch.slab
        func sent() -> Int { path.pointee.cursor.unsafelyUnwrapped - start }
        // Newest packets first: the subscriber may still be able to use them.
        var sequence = consumer.pointee.progress.sequence
        var looked = 0
        while repeats, sent() < bytes, looked < Self.retransmittedPackets, consumer.pointee.progress.hasSent,
            sequence > consumer.pointee.progress.abandoned
        {
            if let found = consumer.pointee.find(sequence, in: core.pointee.ring) {
                _ = resend(
                    PendingPacket(producer: core, slot: found.slot), as: sequence, rewrite: found.rewrite, of: consumer,
                    probe: probe, into: &batch)
            }
            sequence -= 1
            looked += 1
        }
        while sent() < bytes, batch.jobCount < 3 * Self.retransmittedPackets {
            consumer.pointee.progress.rtxSequence += 1
            batch.appendPadding(
                on: rtx, sequence: consumer.pointee.progress.rtxSequence, of: consumer, probe: probe, to: path)
        }
        let total = sent()
        if batch.jobCount > 0 { flush(&batch) }
        if batch.hasDrops { settleDrops(of: batch, core: core, isFirstTime: false) }
        batch.removeAll()
        return total
    }

    /// Returns the first video consumer of a path that has an RTX stream. Prefers one that has sent packets.
    private func consumerForPadding(
        path: Int
    ) -> (UnsafeMutablePointer<ProducerCore>, UnsafeMutablePointer<Consumer>, RTXStream)? {
        var silent: (UnsafeMutablePointer<ProducerCore>, UnsafeMutablePointer<Consumer>, RTXStream)?
        for producer in producers where producer.kind == .video {
            guard let i = producer.core.pointee.index(path: path) else { continue }
            let consumer = producer.core.pointee.consumers + i
            guard consumer.pointee.state.feeds, let rtx = consumer.pointee.rtx else { continue }
            if consumer.pointee.progress.hasSent { return (producer.core, consumer, rtx) }
            silent = silent ?? (producer.core, consumer, rtx)
        }
        return silent
    }

    /// Prepares the batch for retransmissions on one path.
    /// - Returns: false if the consumer's packets may not be sent twice.
    private func prepareToResend(
        _ consumer: UnsafeMutablePointer<Consumer>, path index: Int, _ now: MediaTime, _ batch: inout EgressBatch
    ) -> Bool {
        let path = paths + index
        guard !needsSameHeaders(consumer.pointee) || consumer.pointee.sentHeaders != nil else { return false }
        path.pointee.cursor = batch.slab
        path.pointee.message = -1
        batch.begin(now: now)
        return true
    }

    /// Whether packets may be sent again on the consumer's own stream only with the headers that they had first.
    private func needsSameHeaders(_ consumer: Consumer) -> Bool {
        guard consumer.rtx == nil, consumer.extensions.changesByPacket else { return false }
        return paths[consumer.path].context.pointee.suite.isAEAD
    }

    /// Gives a consumer of audio a record of its headers, if its packets can be sent again only with it.
    func keepHeaders(of consumer: inout Consumer) {
        guard consumer.takesRequests, consumer.sentHeaders == nil, needsSameHeaders(consumer) else { return }
        consumer.sentHeaders = SentHeaderLog()
    }

    /// Returns whether a packet is audio that its receiver would not play any more. Plain subscribers may have any delay.
    private func isExpired(_ packet: borrowing PendingPacket, on path: Int, now: MediaTime) -> Bool {
        guard packet.isAudio, paths[path].lane != .plain else { return false }
        return now - packet.arrival > Self.audioLifetime
    }

    /// - Returns: false if the packet may not be sent twice, because its first header is not known any more.
    private func resend(
        _ packet: borrowing PendingPacket, as sequence: Int64, rewrite: RTPRewrite,
        of consumer: UnsafeMutablePointer<Consumer>, probe: UInt16, into batch: inout EgressBatch
    ) -> Bool {
        let path = paths + consumer.pointee.path
        guard let rtx = consumer.pointee.rtx else {
            if let log = consumer.pointee.sentHeaders {
                guard let first = log.find(sequence) else { return false }
                batch.appendUnchanged(
                    packet, sequence: sequence, rewrite: rewrite, first: first, of: consumer, to: path)
                return true
            }
            if rewrite.leavesOut(packet) {
                batch.appendFiller(packet, sequence: sequence, rewrite: rewrite, of: consumer, to: path)
                return true
            }
            withUnsafePointer(to: packet) {
                batch.append($0, sequence: sequence, rewrite: rewrite, of: consumer, to: path)
            }
            return true
        }
        consumer.pointee.progress.rtxSequence += 1
        batch.appendRetransmission(
            packet, original: sequence, rewrite: rewrite, on: rtx, sequence: consumer.pointee.progress.rtxSequence,
            of: consumer, probe: probe, to: path)
        return true
    }
}
