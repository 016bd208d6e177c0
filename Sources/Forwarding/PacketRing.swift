package import MediaBase

/// Latest packets of one producer: slots by sequence number, and a circular byte arena for payloads. Both limit how many packets are kept.
package struct PacketRing: ~Copyable {
    /// Bytes reserved behind each payload for padding.
    package static let maximumPadding = 32
    /// Longer payloads are not stored.
    package static let maximumPayload = 4096

    private let slots: UnsafeMutablePointer<StoredPacket>
    private let slotMask: Int64
    private var arena: UnsafeMutablePointer<UInt8>
    package private(set) var arenaBytes: Int
    private let maximumBytes: Int
    private var position = 0
    /// Position of the next measurement, and the times at which the last two halves of the arena began.
    private var measuringAt = 0
    private var halves = (before: MediaTime(rawValue: .min), last: MediaTime(rawValue: .min))
    /// A measurement happens this many bytes before a half is full, so that the arena can grow before anything is overwritten.
    private static let margin = 2 * maximumPayload
    /// Whether the packets of the last `window` need a larger arena. The owner calls `grow()` when it holds no pointer to a payload.
    package private(set) var needsRoom = false
    /// Time for which packets are kept, as far as the maximum size permits. Retransmissions need 2 s. Probes of a path whose video is paused
    /// repeat the packets that were sent last, which shows more of the path than padding does.
    package static let window = MediaTime.seconds(20)
    /// Position of payloads that were overwritten before the arena grew.
    private static let overwritten = -(1 << 40)

    /// - Parameters:
    ///   - slots: power of two.
    ///   - bytes: size at first; power of two, at least 128 KiB.
    ///   - maximumBytes: largest size, a power of two; nil: `bytes`.
    package init(slots count: Int, bytes: Int, maximumBytes: Int? = nil) {
        precondition(count > 0 && count & (count - 1) == 0 && bytes >= 128 << 10 && bytes & (bytes - 1) == 0)
        self.maximumBytes = maximumBytes ?? bytes
        precondition(self.maximumBytes >= bytes && self.maximumBytes & (self.maximumBytes - 1) == 0)
        slots = .allocate(capacity: count)
        slots.initialize(repeating: StoredPacket(), count: count)
        slotMask = Int64(count - 1)
        arena = Self.allocate(bytes)
        arenaBytes = bytes
    }

    /// Not initialised: pages that no packet has touched cost no memory.
    private static func allocate(_ bytes: Int) -> UnsafeMutablePointer<UInt8> {
        UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64).assumingMemoryBound(to: UInt8.self)
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

    /// Measures, each time that half of the arena has been written, whether the next half would overwrite packets of the window. Call after
    /// `store`.
    @inline(__always)
    package mutating func measure(now: MediaTime) {
        if position >= measuringAt { measureHalf(now: now) }
    }

    private mutating func measureHalf(now: MediaTime) {
        if arenaBytes < maximumBytes, now - halves.before < Self.window {
            needsRoom = true
            measuringAt = .max
            return halves.last = now
        }
        halves = (halves.last, now)
        measuringAt = position + arenaBytes / 2 - Self.margin
    }

    /// Doubles the arena. Stored packets stay, and their payloads move.
    package mutating func grow() {
        needsRoom = false
        guard arenaBytes < maximumBytes else { return }
        let grown = Self.allocate(arenaBytes * 2)
        let start = position & (arenaBytes - 1)
        // Positions below `start` were written in this round, the others in the round before. In the larger arena, odd rounds are in the
        // second half.
        let isOdd = position & arenaBytes != 0
        UnsafeMutableRawPointer(grown + (isOdd ? arenaBytes : 0)).copyMemory(from: arena, byteCount: start)
        if position >= arenaBytes {
            UnsafeMutableRawPointer(grown + (isOdd ? 0 : arenaBytes) + start).copyMemory(
                from: arena + start, byteCount: arenaBytes - start)
        }
        for i in 0..<slotCount where position - slots[i].position > arenaBytes { slots[i].position = Self.overwritten }
        UnsafeMutableRawPointer(arena).deallocate()
        arena = grown
        arenaBytes *= 2
        measuringAt = position + arenaBytes / 2 - Self.margin
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
