import MediaBase
package import RTP

/// Differences between one consumer's packets and its producer's. A value type: the shared packet is never modified for a consumer, and a
/// retransmission uses the same rewrite as the first transmission.
package struct RTPRewrite: Hashable, Sendable {
    /// The producer's unwrapped sequence number minus the consumer's.
    package var sequenceOffset: Int64 = 0
    /// Added to the producer's timestamp, modulo 2^32.
    package var timestampOffset: UInt32 = 0
    /// Added to the PictureID of VP8 or VP9 (RFC 7741 and RFC 9628, section 4.2), modulo its width.
    package var pictureIDOffset: UInt16 = 0
    /// Added to TL0PICIDX, modulo 256.
    package var tl0PictureIndexOffset: UInt8 = 0
    /// Added to the frame number of the dependency descriptor, modulo 2^16. Layers that are left out leave gaps: references are differences
    /// of the publisher's numbers.
    package var frameNumberOffset: UInt16 = 0
    /// Highest layer that is sent: a temporal layer, or a position in the stream's `LayerOrder`. Higher layers leave no gaps in sequence numbers and PictureIDs.
    package var layerLimit = LayerCounts.noLimit

    package init() {}

    /// True if the payload differs from the producer's. It must then be copied before it is encrypted.
    @inline(__always)
    package var patchesPayload: Bool {
        pictureIDOffset != 0 || tl0PictureIndexOffset != 0 || layerLimit != LayerCounts.noLimit
    }

    @inline(__always)
    package func sequence(of producerSequence: Int64) -> Int64 { producerSequence &- sequenceOffset }

    /// Returns the consumer's sequence number for a packet that is sent.
    @inline(__always)
    func sequence(of packet: borrowing PendingPacket) -> Int64 {
        packet.sequence &- sequenceOffset &- packet.layers.packets(above: layerLimit)
    }

    /// Returns the value that is added to the packet's PictureID.
    @inline(__always)
    func pictureIDShift(_ packet: borrowing PendingPacket) -> UInt16 {
        pictureIDOffset &- packet.layers.frames(above: layerLimit)
    }

    /// Returns 0x80 if the packet is the last of its frame for a subscriber that does not get the packet with the marker bit, else 0.
    /// VP9 and AV1 set the marker bit on the last packet of all layers that are sent (RFC 9628 section 4.1, RTP Payload Format for AV1
    /// section 4.3); a receiver would otherwise wait for more layers.
    @inline(__always)
    func addedMarkerBit(_ packet: borrowing PendingPacket) -> UInt8 {
        (packet.fields.ends &>> layerLimit & 1) &<< 7
    }

    /// Returns true if it is not known yet whether the packet is the last of its frame under the limit.
    @inline(__always)
    func awaitsEnd(_ packet: borrowing PendingPacket) -> Bool { packet.fields.ends &>> layerLimit & 1 == 0 }

    /// Returns true if the packet is above the limit.
    @inline(__always)
    func leavesOut(_ packet: borrowing PendingPacket) -> Bool { packet.fields.layer > layerLimit }

    /// Patches the PictureID and TL0PICIDX in a consumer's own copy of the payload.
    @inline(__always)
    package func patch(_ payload: UnsafeMutablePointer<UInt8>, _ fields: RewriteFields) {
        patch(payload, fields, pictureIDShift: pictureIDOffset)
    }

    @inline(__always)
    func patch(_ payload: UnsafeMutablePointer<UInt8>, _ packet: borrowing PendingPacket) {
        patch(payload, packet.fields, pictureIDShift: pictureIDShift(packet))
    }

    @inline(__always)
    private func patch(_ payload: UnsafeMutablePointer<UInt8>, _ fields: RewriteFields, pictureIDShift: UInt16) {
        if fields.pictureIDOffset != 0, pictureIDShift != 0 {
            let at = payload + Int(fields.pictureIDOffset)
            let id = fields.pictureID &+ pictureIDShift
            if fields.pictureIDIsWide {
                at[0] = 0x80 | UInt8(truncatingIfNeeded: id >> 8)
                at[1] = UInt8(truncatingIfNeeded: id)
            } else {
                at[0] = UInt8(truncatingIfNeeded: id) & 0x7f
            }
        }
        if fields.tl0Offset != 0, tl0PictureIndexOffset != 0 {
            payload[Int(fields.tl0Offset)] = fields.tl0PictureIndex &+ tl0PictureIndexOffset
        }
    }
}
