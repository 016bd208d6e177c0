import CLinuxNet
import MediaBase
import Synchronization

/// Bounded queue of records from one writing thread to one reading thread, without a lock. The writer never waits: a record that does not
/// fit is dropped and counted. The reader can sleep until the next record.
///
/// A record is a header of a fixed type, and bytes. `head` and `tail` count all bytes that were written and read; a filler precedes a record
/// that would cross the end of the memory.
struct RecordRing: ~Copyable, @unchecked Sendable {
    static let minimumCapacity = 64 << 10
    static let maximumCapacity = 1 << 30

    /// First word of every record.
    private struct Prefix {
        /// Length of the whole record in bytes, a multiple of 8. With `fillerBit`: bytes to skip; nothing else follows.
        var length: UInt32
        /// Bytes after the header.
        var payloadLength: UInt32
    }

    private static let fillerBit: UInt32 = 0x8000_0000

    private let capacity: Int
    private let memory: UnsafeMutableRawPointer
    private let event: Int32
    private let head = Atomic<Int>(0)  // written by the writer
    private let tail = Atomic<Int>(0)  // written by the reader
    private let waiting = Atomic<Bool>(false)
    private let closed = Atomic<Bool>(false)
    private let droppedRecords = Atomic<UInt64>(0)

    /// - Parameter capacity: bytes; rounded up to a power of two between `minimumCapacity` and `maximumCapacity`. An empty ring takes every
    ///   record of at most half of it.
    init(capacity: Int) {
        var size = Self.minimumCapacity
        while size < capacity, size < Self.maximumCapacity { size *= 2 }
        self.capacity = size
        memory = .allocate(byteCount: size, alignment: 64)
        event = millrace_event_open()
    }

    deinit {
        memory.deallocate()
        millrace_close(event)
    }

    /// Records dropped because the ring was full.
    var dropped: UInt64 { droppedRecords.load(ordering: .relaxed) }

    /// True after `close()` by either side. Records in the ring can still be read.
    @inline(__always)
    var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// Ends the reader's wait. Call from any thread.
    func close() {
        closed.store(true, ordering: .releasing)
        millrace_event_signal(event)
    }

    /// Returns the offset of a record's bytes.
    @inline(__always)
    private static func payloadOffset<Header: BitwiseCopyable>(_: Header.Type) -> Int {
        (MemoryLayout<Prefix>.size + MemoryLayout<Header>.size + 7) & ~7
    }

    // MARK: writer's side

    /// Copies a record into the ring. Call from one thread only, and `flush` after a run of records.
    /// - Parameters:
    ///   - header: of a type whose alignment is at most 8.
    ///   - trailer: bytes that follow those of `payload` in the record.
    /// - Returns: false if the record was dropped.
    @inline(__always)
    func append<Header: BitwiseCopyable>(
        _ header: Header, _ payload: UnsafeRawBufferPointer,
        _ trailer: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) -> Bool {
        let payloadOffset = Self.payloadOffset(Header.self)
        let length = payload.count + trailer.count
        let size = (payloadOffset + length + 7) & ~7
        var at = head.load(ordering: .relaxed)
        let used = at &- tail.load(ordering: .acquiring)
        let untilEnd = capacity - (at & (capacity - 1))
        let filler = size > untilEnd ? untilEnd : 0
        guard used + size + filler <= capacity else {
            droppedRecords.wrappingAdd(1, ordering: .relaxed)
            return false
        }
        if filler > 0 {
            // The word always fits: positions are multiples of 8.
            (memory + (at & (capacity - 1))).storeBytes(of: UInt32(filler) | Self.fillerBit, as: UInt32.self)
            at &+= filler
        }
        let record = memory + (at & (capacity - 1))
        record.storeBytes(
            of: Prefix(length: UInt32(size), payloadLength: UInt32(length)), as: Prefix.self)
        (record + MemoryLayout<Prefix>.size).storeBytes(of: header, as: Header.self)
        if let base = payload.baseAddress {
            (record + payloadOffset).copyMemory(from: base, byteCount: payload.count)
        }
        if let base = trailer.baseAddress {
            (record + payloadOffset + payload.count).copyMemory(from: base, byteCount: trailer.count)
        }
        head.store(at &+ size, ordering: .sequentiallyConsistent)
        return true
    }

    /// Wakes the reader if it sleeps.
    func flush() {
        if waiting.load(ordering: .sequentiallyConsistent), waiting.exchange(false, ordering: .sequentiallyConsistent) {
            millrace_event_signal(event)
        }
    }

    // MARK: reader's side

    /// Blocks the calling thread until a record is available. Returns false at the timeout, and if the ring is closed and empty.
    func wait(timeout: MediaTime) -> Bool {
        let deadline = MediaTime(rawValue: millrace_monotonic_ns()) + timeout
        while true {
            if !isEmpty { return true }
            if isClosed { return false }
            waiting.store(true, ordering: .sequentiallyConsistent)
            if !isEmpty {
                waiting.store(false, ordering: .relaxed)
                return true
            }
            let left = deadline - MediaTime(rawValue: millrace_monotonic_ns())
            guard left > .zero else { return false }
            var fd = event
            if millrace_wait(&fd, 1, left.rawValue) > 0 { millrace_event_clear(event) }
        }
    }

    /// Blocks the calling thread until a record is available, one of `others` is readable, or the timeout has passed. After the ring is closed
    /// and empty, only `others` end the wait.
    /// - Parameter others: at most 15 descriptors.
    func wait(timeout: MediaTime, orReadable others: [Int32]) {
        guard isEmpty else { return }
        waiting.store(true, ordering: .sequentiallyConsistent)
        defer { waiting.store(false, ordering: .relaxed) }
        guard isEmpty else { return }
        let isOpen = !isClosed
        let descriptors = isOpen ? others + [event] : others
        let ready = millrace_wait(descriptors, Int32(descriptors.count), max(0, timeout.rawValue))
        if isOpen, ready > 0, ready & 1 << Int32(others.count) != 0, !isClosed { millrace_event_clear(event) }
    }

    var isEmpty: Bool { head.load(ordering: .sequentiallyConsistent) == tail.load(ordering: .relaxed) }

    /// Passes the oldest record to `body` and removes it; returns nil if there is none. Call from one thread only.
    /// - Parameters:
    ///   - type: type of the header that the record was written with.
    ///   - isDue: a record for which it returns false stays in the ring.
    func next<Header: BitwiseCopyable, R>(
        _ type: Header.Type, where isDue: (Header) -> Bool = { _ in true },
        _ body: (Header, UnsafeRawBufferPointer) throws -> R
    ) rethrows -> R? {
        var at = tail.load(ordering: .relaxed)
        guard at != head.load(ordering: .acquiring) else { return nil }
        var record = memory + (at & (capacity - 1))
        let first = record.load(as: UInt32.self)
        if first & Self.fillerBit != 0 {
            at &+= Int(first & ~Self.fillerBit)
            record = memory + (at & (capacity - 1))
        }
        let prefix = record.load(as: Prefix.self)
        let header = (record + MemoryLayout<Prefix>.size).load(as: Header.self)
        guard isDue(header) else { return nil }
        defer { tail.store(at &+ Int(prefix.length), ordering: .releasing) }
        return try body(
            header,
            UnsafeRawBufferPointer(start: record + Self.payloadOffset(Header.self), count: Int(prefix.payloadLength)))
    }
}
