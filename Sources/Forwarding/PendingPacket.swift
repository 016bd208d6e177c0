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
    /// Redundant audio: bytes before the primary block, which alone goes to consumers that do not take the others.
    var redundancy: Int
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
    var turn: Turn

    /// Consumers that a pending packet goes to; see Producer+FrameEnds.
    enum Turn: UInt8 {
        case all
        /// Consumers for which its end of frame is decided.
        case early
        /// Consumers that did not get it early.
        case deferred
    }

    @inline(__always)
    init(
        producer: UnsafeMutablePointer<ProducerCore>, slot: UnsafeMutablePointer<StoredPacket>, turn: Turn = .all
    ) {
        self.producer = producer
        self.turn = turn
        self.slot = slot
        sequence = slot.pointee.sequence
        timestamp = UInt32(truncatingIfNeeded: slot.pointee.timestamp)
        payload = producer.pointee.ring.payload(of: slot.pointee)
        payloadLength = Int(slot.pointee.payloadLength)
        redundancy = Int(slot.pointee.redundancy)
        arrival = slot.pointee.arrival
        firstByte = slot.pointee.paddingLength > 0 ? 0xa0 : 0x80
        markerBit = slot.pointee.flags.contains(.marker) ? 0x80 : 0
        flags = slot.pointee.flags
        isAudio = producer.pointee.isAudio
        fields = slot.pointee.fields
        extensions = slot.pointee.extensions
        layers = slot.pointee.layers
    }

    /// Returns the bytes at the start of the payload that a consumer does not get.
    @inline(__always)
    func leftOut(for consumer: UnsafePointer<Consumer>) -> Int {
        redundancy != 0 && consumer.pointee.redPayloadType == nil ? redundancy : 0
    }

    /// Returns the payload type under which a consumer gets the packet.
    @inline(__always)
    func payloadType(for consumer: UnsafePointer<Consumer>) -> UInt8 {
        guard redundancy != 0, let red = consumer.pointee.redPayloadType else {
            return consumer.pointee.payloadType.rawValue
        }
        return red.rawValue
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

    /// Whether the packet has no padding yet and its slot still holds it. The slot may have been reused after a jump in sequence numbers. A
    /// deferred packet may have been sent already, and all transmissions of a packet are alike.
    var canPad: Bool { slot.pointee.sequence == sequence && slot.pointee.paddingLength == 0 && turn != .deferred }

    /// Pads the packet to `length` bytes if that is possible.
    mutating func pad(to length: Int) {
        guard canPad else { return }
        producer.pointee.ring.pad(slot, to: length)
        payloadLength = Int(slot.pointee.payloadLength)
        firstByte = slot.pointee.paddingLength > 0 ? 0xa0 : 0x80
    }
}
