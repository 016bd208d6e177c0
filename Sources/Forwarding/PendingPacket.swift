import MediaBase
import RTP

/// Packet in the queue for the next flush, with the values that the inner loop needs. Has no reference-counted fields.
struct PendingPacket {
    var producer: UnsafeMutablePointer<ProducerCore>
    var slot: UnsafeMutablePointer<StoredPacket>
    var sequence: Int64
    var timestamp: UInt32
    var payload: UnsafeMutablePointer<UInt8>
    var payloadLength: Int
    var arrival: MediaTime
    /// Version 2 and the padding bit.
    var firstByte: UInt8
    /// 0x80 or 0.
    var markerBit: UInt8
    var flags: StoredPacket.Flags
    var isAudio: Bool
    var fields: RewriteFields
    var extensions: PassedExtensions
    var layers: LayerCounts

    @inline(__always)
    init(producer: UnsafeMutablePointer<ProducerCore>, slot: UnsafeMutablePointer<StoredPacket>) {
        self.producer = producer
        self.slot = slot
        sequence = slot.pointee.sequence
        timestamp = UInt32(truncatingIfNeeded: slot.pointee.timestamp)
        payload = producer.pointee.ring.payload(of: slot.pointee)
        payloadLength = Int(slot.pointee.payloadLength)
        arrival = slot.pointee.arrival
        firstByte = slot.pointee.paddingLength > 0 ? 0xa0 : 0x80
        markerBit = slot.pointee.flags.contains(.marker) ? 0x80 : 0
        flags = slot.pointee.flags
        isAudio = producer.pointee.isAudio
        fields = slot.pointee.fields
        extensions = slot.pointee.extensions
        layers = slot.pointee.layers
    }

    @inline(__always)
    var startsKeyFrame: Bool { flags.contains(.keyFrameStart) }
    @inline(__always)
    var isLate: Bool { flags.contains(.late) }
    /// Frame number of the dependency descriptor; nil if none is forwarded.
    @inline(__always)
    var frameNumber: UInt16? {
        guard extensions.flags.contains(.descriptor) else { return nil }
        return DependencyDescriptor.frameNumber(of: payload + Int(extensions.descriptorOffset))
    }
    /// True if a decoder without state can start here: the first packet of a key frame, or any audio packet.
    @inline(__always)
    var startsStream: Bool { startsKeyFrame || isAudio }

    /// Whether the packet has no padding yet and its slot still holds it. The slot may have been reused after a jump in sequence numbers.
    var canPad: Bool { slot.pointee.sequence == sequence && slot.pointee.paddingLength == 0 }

    /// Pads the packet to `length` bytes if that is possible.
    mutating func pad(to length: Int) {
        guard canPad else { return }
        producer.pointee.ring.pad(slot, to: length)
        payloadLength = Int(slot.pointee.payloadLength)
        firstByte = slot.pointee.paddingLength > 0 ? 0xa0 : 0x80
    }
}
