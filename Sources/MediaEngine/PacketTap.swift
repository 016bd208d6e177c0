package import MediaBase
import RTP

/// A bounded queue of packets from one worker to one reader. The worker copies each packet into it without a lock and never waits: if the
/// reader is slow and the queue is full, new packets are dropped and counted (`RecordRing`).
package final class PacketTap: Sendable {
    /// Packet without its payload, as a record of the ring.
    private struct Header: BitwiseCopyable {
        /// Bit 0: video; 1: marker; 2: has NTP; 3 and 4: rotation in steps of 90 degrees; 5 and 6: codec of video;
        /// 7: has an audio level, which is in bits 8 to 15.
        var kindAndFlags: UInt32
        var sequence: Int64
        var timestamp: Int64
        var arrival: Int64
        var ntp: UInt64
    }

    package static let minimumCapacity = RecordRing.minimumCapacity

    /// Codec of the stream's video when the tap was opened; nil if it had none.
    package let codec: VideoCodec?
    private let kinds: Set<MediaKind>
    private let ring: RecordRing
    let choice = TapChoice()

    /// - Parameter capacity: bytes; rounded up to a power of two between `minimumCapacity` and 1 GiB.
    package init(capacity: Int, kinds: Set<MediaKind> = Set(MediaKind.allCases), codec: VideoCodec? = nil) {
        self.codec = codec
        self.kinds = kinds
        ring = RecordRing(capacity: capacity)
    }

    /// Packets dropped because the queue was full.
    package var dropped: UInt64 { ring.dropped }
    /// True after `close()` by either side, or after the stream has ended. Packets in the queue can still be read.
    package var isClosed: Bool { ring.isClosed }

    package func close() { ring.close() }

    /// Returns whether the tap takes packets of this kind; false once either side has closed it.
    func wants(_ kind: MediaKind) -> Bool { kinds.contains(kind) && !ring.isClosed }

    // MARK: worker's side

    /// Copies a packet into the queue. Call from one thread only.
    /// - Returns: false if the packet was dropped.
    @discardableResult
    package func push(_ packet: TapPacket) -> Bool {
        ring.append(
            Header(
                kindAndFlags: (packet.kind == .video ? 1 : 0) | (packet.marker ? 2 : 0)
                    | (packet.captureNTP == nil ? 0 : 4) | UInt32(packet.rotation.rawValue / 90) << 3
                    | Self.number(of: packet.codec) << 5
                    | (packet.level.map { 0x80 | UInt32($0.rawValue) << 8 } ?? 0),
                sequence: packet.sequence, timestamp: packet.timestamp, arrival: packet.arrival.rawValue,
                ntp: packet.captureNTP ?? 0), packet.payload)
    }

    /// Wakes the reader if it waits. Call once after a run of `push`.
    package func flush() { ring.flush() }

    // MARK: reader's side

    /// Largest encoding that the reader of a tap with a choice gets, as an index in `encodingRates`; the largest that arrives if it is not
    /// smaller than the last index. Another encoding begins with a key frame.
    package var maximumEncoding: Int {
        get { choice.maximum.load(ordering: .relaxed) }
        set { choice.maximum.store(max(0, newValue), ordering: .relaxed) }
    }

    /// Bit rates of the encodings of simulcast, from the smallest to the largest, headers included; 0 for one that does not arrive. Of a tap
    /// with a choice; empty before they are known, and for another tap.
    package var encodingRates: [Bitrate] { choice.bitrates }

    /// Blocks the calling thread until a packet is available. Returns false at the timeout, and if the tap is closed and empty.
    package func wait(timeout: MediaTime) -> Bool { ring.wait(timeout: timeout) }

    /// Blocks the calling thread until a packet is available, one of `others` is readable, or the timeout has passed. After the tap is closed
    /// and empty, only `others` end the wait.
    /// - Parameter others: at most 15 descriptors.
    package func wait(timeout: MediaTime, orReadable others: [Int32]) {
        ring.wait(timeout: timeout, orReadable: others)
    }

    package var isEmpty: Bool { ring.isEmpty }

    /// Passes the oldest packet to `body` and removes it; returns nil if there is none. Call from one thread only.
    package func next<R>(_ body: (borrowing TapPacket) throws -> R) rethrows -> R? {
        try ring.next(Header.self) { header, payload in
            try body(
                TapPacket(
                    kind: header.kindAndFlags & 1 != 0 ? .video : .audio, sequence: header.sequence,
                    timestamp: header.timestamp, marker: header.kindAndFlags & 2 != 0,
                    arrival: MediaTime(rawValue: header.arrival),
                    captureNTP: header.kindAndFlags & 4 != 0 ? header.ntp : nil,
                    rotation: Rotation(rawValue: Int(header.kindAndFlags >> 3 & 3) * 90) ?? .none,
                    codec: Self.codec(header.kindAndFlags >> 5 & 3),
                    level: header.kindAndFlags & 0x80 != 0
                        ? AudioLevel(rawValue: UInt8(truncatingIfNeeded: header.kindAndFlags >> 8)) : nil,
                    payload: payload))
        }
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
