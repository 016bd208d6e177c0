import MediaBase

/// Latest packets of one producer: slots by sequence number, and a circular byte arena for payloads. Both limit how many packets are kept.
package struct PacketRing: ~Copyable {
    /// Bytes reserved behind each payload for padding.
    package static let maximumPadding = 16
    /// Longer payloads are not stored.
    package static let maximumPayload = 4096

    private let slots: UnsafeMutablePointer<StoredPacket>
    private let slotMask: Int64
    private let arena: UnsafeMutablePointer<UInt8>
    let arenaBytes: Int
    private var position = 0

    /// - Parameters:
    ///   - slots: power of two.
    ///   - bytes: power of two, at least 128 KiB.
    package init(slots count: Int, bytes: Int) {
        precondition(count > 0 && count & (count - 1) == 0 && bytes >= 128 << 10 && bytes & (bytes - 1) == 0)
        slots = .allocate(capacity: count)
        slots.initialize(repeating: StoredPacket(), count: count)
        slotMask = Int64(count - 1)
        // Not initialised: pages that no packet has touched cost no memory.
        arena = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64).assumingMemoryBound(to: UInt8.self)
        arenaBytes = bytes
    }

    deinit {
        slots.deallocate()
        UnsafeMutableRawPointer(arena).deallocate()
    }

    /// Maximum number of packets.
    var slotCount: Int { Int(slotMask) + 1 }

    /// Copies `payload` (at most `maximumPayload` bytes) into the arena and returns its slot, whose other fields the caller sets.
    /// Overwrites the oldest packets.
    /// - Parameter descriptor: dependency descriptor, at most 255 bytes. It is stored behind the payload and its padding.
    package mutating func store(
        sequence: Int64, payload: UnsafeRawBufferPointer, descriptor: UnsafeRawBufferPointer? = nil
    ) -> UnsafeMutablePointer<StoredPacket> {
        let extra = descriptor?.count ?? 0
        let room = (payload.count + Self.maximumPadding + extra + 15) & ~15
        let untilEnd = arenaBytes - (position & (arenaBytes - 1))
        if room > untilEnd { position += untilEnd }
        let slot = slots + Int(sequence & slotMask)
        slot.pointee = StoredPacket()
        slot.pointee.sequence = sequence
        slot.pointee.position = position
        slot.pointee.payloadLength = UInt16(payload.count)
        if let base = payload.baseAddress {
            UnsafeMutableRawPointer(arena + (position & (arenaBytes - 1))).copyMemory(
                from: base, byteCount: payload.count)
        }
        if let bytes = descriptor?.baseAddress {
            let offset = payload.count + Self.maximumPadding
            UnsafeMutableRawPointer(arena + (position & (arenaBytes - 1)) + offset).copyMemory(
                from: bytes, byteCount: extra)
            slot.pointee.extensions.setDescriptor(length: extra, offset: offset)
        }
        position += room
        return slot
    }

    /// Returns the slot of a packet whose payload has not been overwritten.
    @inline(__always)
    package func find(_ sequence: Int64) -> UnsafeMutablePointer<StoredPacket>? {
        let slot = slots + Int(sequence & slotMask)
        guard slot.pointee.sequence == sequence, position - slot.pointee.position <= arenaBytes else { return nil }
        return slot
    }

    /// Returns true if the packet was stored and has been overwritten.
    func hasLost(_ sequence: Int64) -> Bool {
        let slot = slots + Int(sequence & slotMask)
        return slot.pointee.sequence > sequence || (slot.pointee.sequence == sequence && find(sequence) == nil)
    }

    @inline(__always)
    package func payload(of packet: borrowing StoredPacket) -> UnsafeMutablePointer<UInt8> {
        arena + (packet.position & (arenaBytes - 1))
    }

    /// Pads a packet to `length` bytes with RTP padding, at most `maximumPadding` bytes.
    package func pad(_ slot: UnsafeMutablePointer<StoredPacket>, to length: Int) {
        let old = Int(slot.pointee.payloadLength)
        guard length > old, slot.pointee.paddingLength == 0, length - old <= Self.maximumPadding else { return }
        let bytes = payload(of: slot.pointee)
        for i in old..<(length - 1) { bytes[i] = 0 }
        bytes[length - 1] = UInt8(length - old)
        slot.pointee.payloadLength = UInt16(length)
        slot.pointee.paddingLength = UInt8(length - old)
    }
}
