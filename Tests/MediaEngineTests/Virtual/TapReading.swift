import MediaBase
import MediaEngine
import RTP
import WebRTCTestKit

/// Frames that a tap of a synthetic stream delivers.
struct TapReading {
    private var parts: [UInt8] = []
    private var shown: UInt8?
    private var latest: [MediaKind: (sequence: Int64, timestamp: Int64)] = [:]
    /// Encodings of the frames, in their order.
    private(set) var encodings: [UInt8] = []
    /// Encodings of the first frames after another one, and whether they were key frames.
    private(set) var changes: [(encoding: UInt8, isKeyFrame: Bool)] = []
    private(set) var audioPackets = 0
    /// Sequence numbers with a gap, timestamps that go back, and damaged frames.
    private(set) var faults = 0

    /// Reads what the tap has.
    mutating func read(_ tap: PacketTap) {
        while tap.next({ take($0) }) != nil {}
    }

    /// Returns the encodings of the frames since the last call.
    mutating func takeEncodings() -> Set<UInt8> {
        defer { encodings = [] }
        return Set(encodings)
    }

    private mutating func take(_ packet: borrowing TapPacket) {
        let (sequence, timestamp) = (packet.sequence, packet.timestamp)
        if let latest = latest[packet.kind], sequence != latest.sequence + 1 || timestamp < latest.timestamp {
            faults += 1
        }
        latest[packet.kind] = (sequence, timestamp)
        guard packet.kind == .video else {
            audioPackets += 1
            return
        }
        guard let descriptor = try? VP8PayloadDescriptor(parsing: packet.payload) else { return faults += 1 }
        parts += packet.payload[descriptor.headerLength...]
        guard packet.marker else { return }
        defer { parts = [] }
        guard let frame = SyntheticFrame(parsing: parts) else { return faults += 1 }
        if shown != frame.encoding { changes.append((frame.encoding, frame.isKeyFrame)) }
        shown = frame.encoding
        encodings.append(frame.encoding)
    }
}
