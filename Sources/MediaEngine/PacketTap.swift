import CLinuxNet
package import MediaBase
import RTP
import Synchronization

/// A bounded queue of packets from one worker to one reader. The worker copies each packet into it without a lock and never waits: if the
/// reader is slow and the queue is full, new packets are dropped and counted.
///
/// The ring holds records of a fixed header and the payload, each padded to 8 bytes. `head` and `tail` count all bytes that were written
/// and read; a filler precedes a record that would cross the end of the ring.
package final class PacketTap: Sendable {
    private struct Record {
        var length: UInt32  // of the whole record; bit 31 marks a filler: only this word, and the bytes to skip
        var payloadLength: UInt32
        /// Bit 0: video; 1: marker; 2: has NTP; 3 and 4: rotation in steps of 90 degrees; 5 and 6: codec of video;
        /// 7: has an audio level, which is in bits 8 to 15.
        var kindAndFlags: UInt32
        var sequence: Int64
        var timestamp: Int64
        var arrival: Int64
        var ntp: UInt64
    }

    package static let minimumCapacity = 64 << 10
    package static let maximumCapacity = 1 << 30

    /// Codec of the stream's video when the tap was opened; nil if it had none.
    package let codec: VideoCodec?
    private let kinds: Set<MediaKind>
    private let capacity: Int
    private let memory: UncheckedPointer
    private let event: Int32
    private let head = Atomic<Int>(0)  // written by the worker
    private let tail = Atomic<Int>(0)  // written by the reader
    private let waiting = Atomic<Bool>(false)
    private let closed = Atomic<Bool>(false)
    private let droppedPackets = Atomic<UInt64>(0)

    private struct UncheckedPointer: @unchecked Sendable {
        let raw: UnsafeMutableRawPointer
    }

    /// - Parameter capacity: bytes; rounded up to a power of two between `minimumCapacity` and `maximumCapacity`.
    package init(capacity: Int, kinds: Set<MediaKind> = Set(MediaKind.allCases), codec: VideoCodec? = nil) {
        self.codec = codec
        self.kinds = kinds
        var size = Self.minimumCapacity
        while size < capacity, size < Self.maximumCapacity { size *= 2 }
        self.capacity = size
        memory = UncheckedPointer(raw: .allocate(byteCount: size, alignment: 64))
        event = millrace_event_open()
    }

    deinit {
        memory.raw.deallocate()
        millrace_close(event)
    }

    /// Packets dropped because the queue was full.
    package var dropped: UInt64 { droppedPackets.load(ordering: .relaxed) }
    /// True after `close()` by either side, or after the stream has ended. Packets in the queue can still be read.
    package var isClosed: Bool { closed.load(ordering: .acquiring) }

    package func close() {
        closed.store(true, ordering: .releasing)
        millrace_event_signal(event)
    }

    /// Returns whether the tap takes packets of this kind; false once either side has closed it.
    func wants(_ kind: MediaKind) -> Bool { kinds.contains(kind) && !closed.load(ordering: .relaxed) }

    // MARK: worker's side

    /// Copies a packet into the queue. Call from one thread only.
    /// - Returns: false if the packet was dropped.
    @discardableResult
    package func push(_ packet: TapPacket) -> Bool {
        let header = MemoryLayout<Record>.size
        let size = (header + packet.payload.count + 7) & ~7
        var at = head.load(ordering: .relaxed)
        let used = at &- tail.load(ordering: .acquiring)
        let untilEnd = capacity - (at & (capacity - 1))
        let filler = size > untilEnd ? untilEnd : 0
        guard used + size + filler <= capacity else {
            droppedPackets.wrappingAdd(1, ordering: .relaxed)
            return false
        }
        if filler > 0 {
            // The length word always fits: positions are multiples of 8.
            (memory.raw + (at & (capacity - 1))).storeBytes(of: UInt32(filler) | 0x8000_0000, as: UInt32.self)
            at &+= filler
        }
        let place = memory.raw + (at & (capacity - 1))
        place.storeBytes(
            of: Record(
                length: UInt32(size), payloadLength: UInt32(packet.payload.count),
                kindAndFlags: (packet.kind == .video ? 1 : 0) | (packet.marker ? 2 : 0)
                    | (packet.captureNTP == nil ? 0 : 4) | UInt32(packet.rotation.rawValue / 90) << 3
                    | Self.number(of: packet.codec) << 5
                    | (packet.level.map { 0x80 | UInt32($0.rawValue) << 8 } ?? 0),
                sequence: packet.sequence, timestamp: packet.timestamp, arrival: packet.arrival.rawValue,
                ntp: packet.captureNTP ?? 0),
            as: Record.self)
        if let base = packet.payload.baseAddress {
            (place + header).copyMemory(from: base, byteCount: packet.payload.count)
        }
        head.store(at &+ size, ordering: .sequentiallyConsistent)
        return true
    }

    /// Wakes the reader if it waits. Call once after a run of `push`.
    package func flush() {
        if waiting.load(ordering: .sequentiallyConsistent), waiting.exchange(false, ordering: .sequentiallyConsistent) {
            millrace_event_signal(event)
        }
    }

    // MARK: reader's side

    /// Blocks the calling thread until a packet is available. Returns false at the timeout, and if the tap is closed and empty.
    package func wait(timeout: MediaTime) -> Bool {
        let (sum, overflow) = millrace_monotonic_ns().addingReportingOverflow(timeout.rawValue)
        let deadline = overflow ? Int64.max : sum
        while true {
            if !isEmpty { return true }
            if isClosed { return false }
            waiting.store(true, ordering: .sequentiallyConsistent)
            if !isEmpty {
                waiting.store(false, ordering: .relaxed)
                return true
            }
            let left = deadline - millrace_monotonic_ns()
            guard left > 0 else { return false }
            var fd = event
            if millrace_wait(&fd, 1, left) > 0 { millrace_event_clear(event) }
        }
    }

    package var isEmpty: Bool { head.load(ordering: .sequentiallyConsistent) == tail.load(ordering: .relaxed) }

    /// Passes the oldest packet to `body` and removes it; returns nil if there is none. Call from one thread only.
    package func next<R>(_ body: (borrowing TapPacket) throws -> R) rethrows -> R? {
        var at = tail.load(ordering: .relaxed)
        guard at != head.load(ordering: .acquiring) else { return nil }
        var place = memory.raw + (at & (capacity - 1))
        let first = place.load(as: UInt32.self)
        if first & 0x8000_0000 != 0 {
            at &+= Int(first & 0x7fff_ffff)
            place = memory.raw + (at & (capacity - 1))
        }
        let record = place.load(as: Record.self)
        defer { tail.store(at &+ Int(record.length), ordering: .releasing) }
        return try body(
            TapPacket(
                kind: record.kindAndFlags & 1 != 0 ? .video : .audio, sequence: record.sequence,
                timestamp: record.timestamp, marker: record.kindAndFlags & 2 != 0,
                arrival: MediaTime(rawValue: record.arrival),
                captureNTP: record.kindAndFlags & 4 != 0 ? record.ntp : nil,
                rotation: Rotation(rawValue: Int(record.kindAndFlags >> 3 & 3) * 90) ?? .none,
                codec: Self.codec(record.kindAndFlags >> 5 & 3),
                level: record.kindAndFlags & 0x80 != 0
                    ? AudioLevel(rawValue: UInt8(truncatingIfNeeded: record.kindAndFlags >> 8)) : nil,
                payload: UnsafeRawBufferPointer(
                    start: place + MemoryLayout<Record>.size, count: Int(record.payloadLength))))
    }

    private static func number(of codec: VideoCodec) -> UInt32 {
        switch codec {
        case .vp8: 0
        case .h264: 1
        case .vp9: 2
        case .av1: 3
        }
    }

    private static func codec(_ number: UInt32) -> VideoCodec {
        switch number {
        case 1: .h264
        case 2: .vp9
        case 3: .av1
        default: .vp8
        }
    }
}
