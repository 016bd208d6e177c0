import MediaBase
import RTP

/// Ends of frames in streams with spatial layers. A receiver decodes a frame of several spatial layers when the packet with the marker bit
/// has arrived. The publisher marks the highest layer, but encoders leave out higher layers of single frames after they have sent the lower
/// ones without a marker bit. A receiver that waits for such a layer decodes nothing until it asks for a key frame.
///
/// Therefore the last packet of a lower layer's frame is undecided until the next packet arrives. It goes at once to the consumers that get no
/// higher layer, and to all others with the next packet. They could not decode it earlier.
extension Producer {
    /// Notes whether a packet is undecided.
    func noteEnd(of slot: UnsafeMutablePointer<StoredPacket>) {
        let ends = slot.pointee.fields.ends
        guard ends != 0, ends != LayerOrder.allLimits, !slot.pointee.flags.contains(.marker) else { return }
        core.pointee.undecided = slot.pointee.sequence
    }

    /// Decides under which limits the undecided packet is the last of its time, when the next packet has arrived in order.
    /// - Parameters:
    ///   - sequence: that of the next packet. If packets are missing before it, the publisher's marker bit may be on one of them.
    ///   - layer: position of the next packet in the order of layers; nil if it contains only padding.
    func decideEnd(before sequence: Int64, timestamp: Int64, layer: UInt8?) {
        let undecided = core.pointee.undecided
        guard undecided != ProducerCore.noPacket else { return }
        core.pointee.undecided = ProducerCore.noPacket
        guard let slot = core.pointee.ring.find(undecided) else { return }
        core.pointee.deferred = undecided
        guard sequence == undecided + 1, let layer else { return }
        slot.pointee.fields.ends |=
            timestamp == slot.pointee.timestamp ? UInt8(1) &<< layer &- 1 : LayerOrder.allLimits
    }

    /// Excludes an undecided packet from new consumers. Existing consumers get it.
    func excludeEnd() {
        let undecided = core.pointee.undecided
        guard undecided != ProducerCore.noPacket else { return }
        core.pointee.ring.find(undecided)?.pointee.flags.remove(.keyFrameStart)
    }

    /// Forgets an undecided packet, which then goes to no further consumer.
    func forgetEnd() {
        core.pointee.undecided = ProducerCore.noPacket
        core.pointee.deferred = ProducerCore.noPacket
    }
}
