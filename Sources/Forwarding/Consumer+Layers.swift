import MediaBase

/// Temporal layers: changes of the limit, and which packet has which number under it.
extension Consumer {
    /// The state of a consumer that is level with its producer.
    var level: State { temporalLimit == rewrite.temporalLimit && partner == nil ? .live : .adapting }

    /// A key frame of another encoding can come now.
    var isBetweenPictures: Bool {
        switch state {
        case .live, .adapting, .catchingUp: progress.endsPicture || !progress.hasSent
        case .waiting, .paused, .expecting, .retired: true
        }
    }

    /// Takes up another temporal limit where this packet is a place for it.
    ///
    /// Less is taken at once at the next picture, if its first packet is in its place: a picture has one number, and may not have packets
    /// under two rewrites. More needs a picture that refers to none that was left out: a key frame, or one of the
    /// next layer that is marked to depend on the base layer only; what follows it in its layer builds on it and on lower layers. So limits
    /// rise layer by layer (RFC 7741 section 4.2, Y bit).
    mutating func adapt(at packet: borrowing PendingPacket) {
        guard packet.flags.contains(.frameStart), !packet.isLate, temporalLimit != rewrite.temporalLimit else { return }
        let layer = packet.vp8.temporalLayer
        var limit = rewrite.temporalLimit
        if packet.startsKeyFrame || temporalLimit < limit {
            limit = temporalLimit
        } else {
            guard packet.flags.contains(.layerSync), layer == limit &+ 1 else { return }
            limit = layer
        }
        let out = rewrite.sequence(of: packet)
        let shift = rewrite.pictureIDShift(packet)
        rewrite.temporalLimit = limit
        rewrite.sequenceOffset = packet.sequence &- packet.layers.packets(above: limit) &- out
        rewrite.pictureIDOffset = shift &+ packet.layers.pictures(above: limit)
        history.begin(at: packet.sequence, rewrite, out: out)
        first = packet.sequence
        if state == .adapting { state = level }
    }

    /// Notes that a late packet went out under a rewrite of before.
    mutating func sentLate(_ packet: borrowing PendingPacket, as sequence: Int64, _ rewrite: RTPRewrite) {
        let current = self.rewrite
        self.rewrite = rewrite
        sent(packet, as: sequence)
        self.rewrite = current
    }

    /// Notes that a packet above the limit, which came late and has a number, was replaced by padding.
    mutating func sentFiller(_ packet: borrowing PendingPacket, as sequence: Int64) {
        progress.packets &+= 1
        if packet.sequence >= next { next = packet.sequence &+ 1 }
        guard sequence > progress.sequence else { return }
        sentEnd = packet.sequence &+ 1
        progress.sequence = sequence
    }

    /// The packet that went out, or in whose place padding did, under a number of this consumer; with the rewrite of that time.
    func find(
        _ sequence: Int64, in ring: borrowing PacketRing
    ) -> (slot: UnsafeMutablePointer<StoredPacket>, rewrite: RTPRewrite)? {
        guard sequence <= progress.sequence, let run = history.run(consumerSequence: sequence) else { return nil }
        let limit = run.rewrite.temporalLimit
        let target = sequence &+ run.rewrite.sequenceOffset
        // Numbers beyond what this consumer sent are another's: of the encoding that fed its viewer next.
        let end = min(run.end, sentEnd)
        if limit == LayerCounts.noLimit {
            guard target >= run.first, target < end, let slot = ring.find(target) else { return nil }
            return (slot, run.rewrite)
        }
        // Numbers grow with the producer's: the last packet whose number is not greater is the one, or it is missing.
        var low = max(run.first, sentEnd &- Int64(ring.slotCount))
        var high = end
        var last: UnsafeMutablePointer<StoredPacket>?
        while low < high {
            let middle = low + (high - low) / 2
            var probe = middle
            while probe < high, ring.find(probe) == nil { probe += 1 }
            guard probe < high, let slot = ring.find(probe) else {
                high = middle
                continue
            }
            if probe &- slot.pointee.layers.packets(above: limit) <= target {
                last = slot
                low = probe + 1
            } else {
                high = middle
            }
        }
        guard let slot = last, slot.pointee.sequence &- slot.pointee.layers.packets(above: limit) == target,
            slot.pointee.vp8.temporalLayer <= limit || slot.pointee.flags.contains(.late)
        else { return nil }
        return (slot, run.rewrite)
    }
}

extension PendingPacket {
    /// True for the first packet of a picture that comes, whichever of its packets it is.
    @inline(__always)
    func startsPicture(after progress: borrowing Consumer.Progress, _ rewrite: borrowing RTPRewrite) -> Bool {
        if flags.contains(.frameStart) { return true }
        return timestamp &+ rewrite.timestampOffset != progress.timestamp
    }
}
