import MediaBase

/// Layers: applies changes of the limit, and finds packets by their numbers under it.
extension Consumer {
    /// State of a consumer that has caught up with its producer.
    var level: State { layerLimit == rewrite.layerLimit && partner == nil ? .live : .adapting }

    /// True if the track can switch to a key frame of another encoding now.
    var isBetweenFrames: Bool {
        switch state {
        case .live, .adapting, .catchingUp: progress.endsFrame || !progress.hasSent
        case .waiting, .paused, .expecting, .retired: true
        }
    }

    /// Changes the temporal limit if it can change at this packet.
    ///
    /// The limit is lowered at the next frame, provided that its first packet is in order: a frame has one PictureID, and its packets must
    /// share one rewrite. The limit is raised only at a frame that refers to no frame that was left out: a key frame, or a frame of the
    /// next layer that is marked to depend on the base layer only. Later frames of that layer depend on it and on lower layers, so the
    /// limit rises layer by layer (RFC 7741 section 4.2, Y bit).
    ///
    /// In a stream with dependency descriptors, the limit is raised at a frame that the subscriber gets in any case and that indicates a
    /// switch. Between spatial layers only key frames indicate one in the modes of browsers.
    mutating func adapt(at packet: borrowing PendingPacket) {
        guard packet.flags.contains(.frameStart), !packet.isLate, layerLimit != rewrite.layerLimit else { return }
        let layer = packet.fields.layer
        var limit = rewrite.layerLimit
        if packet.startsKeyFrame || layerLimit < limit {
            limit = layerLimit
        } else {
            guard let raised = raisedLimit(at: packet, layer) else { return }
            limit = raised
        }
        let out = rewrite.sequence(of: packet)
        let shift = rewrite.pictureIDShift(packet)
        rewrite.layerLimit = limit
        rewrite.sequenceOffset = packet.sequence &- packet.layers.packets(above: limit) &- out
        rewrite.pictureIDOffset = shift &+ packet.layers.frames(above: limit)
        history.begin(at: packet.sequence, rewrite, out: out)
        first = packet.sequence
        if state == .adapting { state = level }
    }

    /// Returns the limit to which this frame allows to rise; nil if it allows none.
    private func raisedLimit(at packet: borrowing PendingPacket, _ layer: UInt8) -> UInt8? {
        let limit = rewrite.layerLimit
        if layer <= limit, packet.fields.switches != 0 {
            // Limits above the present one, up to the requested one.
            let allowed = packet.fields.switches & (2 &<< layerLimit &- 1) & ~(2 &<< limit &- 1)
            return allowed == 0 ? nil : UInt8(7 - allowed.leadingZeroBitCount)
        }
        return packet.flags.contains(.layerSync) && layer == limit &+ 1 ? layer : nil
    }

    /// Records that a late packet was sent under an earlier rewrite.
    mutating func sentLate(_ packet: borrowing PendingPacket, as sequence: Int64, _ rewrite: RTPRewrite) {
        let current = self.rewrite
        self.rewrite = rewrite
        sent(packet, as: sequence)
        self.rewrite = current
    }

    /// Records that padding was sent in place of a late packet above the limit that had a number reserved.
    mutating func sentFiller(_ packet: borrowing PendingPacket, as sequence: Int64) {
        progress.packets &+= 1
        if packet.sequence >= next { next = packet.sequence &+ 1 }
        guard sequence > progress.sequence else { return }
        sentEnd = packet.sequence &+ 1
        progress.sequence = sequence
    }

    /// Returns the packet that was sent, or replaced by padding, under one of this consumer's numbers, with the rewrite that was used.
    func find(
        _ sequence: Int64, in ring: borrowing PacketRing
    ) -> (slot: UnsafeMutablePointer<StoredPacket>, rewrite: RTPRewrite)? {
        guard sequence <= progress.sequence, let run = history.run(consumerSequence: sequence) else { return nil }
        let limit = run.rewrite.layerLimit
        let target = sequence &+ run.rewrite.sequenceOffset
        // Numbers beyond the last one that this consumer sent belong to the encoding that fed the subscriber next.
        let end = min(run.end, sentEnd)
        if limit == LayerCounts.noLimit {
            guard target >= run.first, target < end, let slot = ring.find(target) else { return nil }
            return (slot, run.rewrite)
        }
        // The consumer's numbers ascend with the producer's. The last packet whose number is not greater than the target is either the
        // wanted one, or the wanted one is missing.
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
            slot.pointee.fields.layer <= limit || slot.pointee.flags.contains(.late)
        else { return nil }
        return (slot, run.rewrite)
    }
}

extension PendingPacket {
    /// Returns true for the first packet received of a frame, whether or not it is the frame's first packet.
    @inline(__always)
    func startsFrame(after progress: borrowing Consumer.Progress, _ rewrite: borrowing RTPRewrite) -> Bool {
        if flags.contains(.frameStart) { return true }
        return timestamp &+ rewrite.timestampOffset != progress.timestamp
    }
}
