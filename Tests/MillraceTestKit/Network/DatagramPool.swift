import MediaBase

/// Datagrams on their way: memory that is used again, so that a run allocates what is under way at a time and no more.
struct DatagramPool: ~Copyable {
    struct Slot {
        var bytes: UnsafeMutableRawPointer
        var capacity: Int
        var length: Int
        var from: SocketAddress
        var to: SocketAddress
    }

    /// What a slot holds without being allocated anew.
    private static let usualCapacity = 2048

    private var slots: UnsafeMutablePointer<Slot>
    private var capacity = 256
    private var made = 0
    private var free: UnsafeMutablePointer<Int32>
    private var freeCount = 0

    init() {
        slots = .allocate(capacity: capacity)
        free = .allocate(capacity: capacity)
    }

    deinit {
        for index in 0..<made { slots[index].bytes.deallocate() }
        slots.deallocate()
        free.deallocate()
    }

    /// Datagrams that are held.
    var count: Int { made - freeCount }

    subscript(index: Int32) -> Slot { slots[Int(index)] }

    mutating func insert(_ bytes: UnsafeRawBufferPointer, from: SocketAddress, to: SocketAddress) -> Int32 {
        let index = take()
        if slots[index].capacity < bytes.count {
            slots[index].bytes.deallocate()
            slots[index].bytes = .allocate(byteCount: bytes.count, alignment: 8)
            slots[index].capacity = bytes.count
        }
        if let base = bytes.baseAddress { slots[index].bytes.copyMemory(from: base, byteCount: bytes.count) }
        slots[index].length = bytes.count
        slots[index].from = from
        slots[index].to = to
        return Int32(truncatingIfNeeded: index)
    }

    mutating func remove(_ index: Int32) {
        free[freeCount] = index
        freeCount &+= 1
    }

    private mutating func take() -> Int {
        if freeCount > 0 {
            freeCount &-= 1
            return Int(free[freeCount])
        }
        if made == capacity { grow() }
        (slots + made).initialize(
            to: Slot(
                bytes: .allocate(byteCount: Self.usualCapacity, alignment: 8), capacity: Self.usualCapacity,
                length: 0, from: SocketAddress(), to: SocketAddress()))
        made &+= 1
        return made &- 1
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Slot>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: slots, count: made)
        slots.deallocate()
        slots = larger
        // Nothing is free where a slot is missing.
        free.deallocate()
        free = .allocate(capacity: capacity * 2)
        capacity *= 2
    }
}
