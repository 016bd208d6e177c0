import MediaBase

/// Datagrams in flight. Memory is reused, so that a run allocates only for the largest number in flight.
struct DatagramPool: ~Copyable {
    struct Slot {
        var bytes: UnsafeMutableRawPointer
        var capacity: Int
        var length: Int
        var from: SocketAddress
        var to: SocketAddress
    }

    /// Bytes that a slot holds without reallocation.
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

    /// Number of datagrams that are held.
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
        // The free list is empty when a slot has to be added.
        free.deallocate()
        free = .allocate(capacity: capacity * 2)
        capacity *= 2
    }
}
