import MediaBase
import MediaEngine

/// Last 30 s of a peer connection, for a report.
struct PeerTraceBody: Encodable {
    struct Track: Encodable {
        var stream: String
        var kind: String
        var encoding: String?
        /// Sent tracks: difference between the sequence numbers in `headers` and those that were sent, as long as no layer was left out.
        var sequenceOffset: Int64?
        /// Packets as strings, oldest first: milliseconds before the report, sequence number, RTP timestamp, payload bytes, letters (M
        /// marker, K key frame, L late), and the packet's fate unless it was forwarded.
        var headers: [String]
    }

    struct Decision: Encodable {
        /// Milliseconds before the report.
        var ago: Int
        var what: String
        var stream: String?
        var value: Int64?
    }

    var published: [Track]
    var subscribed: [Track]
    var decisions: [Decision]

    init(_ trace: PeerTrace) {
        published = trace.published.map { Self.track($0, now: trace.now) }
        subscribed = trace.subscribed.map { Self.track($0, now: trace.now) }
        decisions = trace.decisions.map { decision in
            Decision(
                ago: Int((trace.now - decision.at).milliseconds), what: decision.kind.rawValue, stream: decision.stream,
                value: decision.value == 0 && decision.kind != .encoding ? nil : decision.value)
        }
    }

    private static func track(_ track: PeerTrace.Track, now: MediaTime) -> Track {
        Track(
            stream: track.stream, kind: track.kind.rawValue, encoding: track.encoding?.rawValue,
            sequenceOffset: track.sequenceOffset, headers: track.headers.map { line($0, now: now) })
    }

    private static func line(_ note: HeaderNote, now: MediaTime) -> String {
        let tenths = note.age(now: now).rawValue / 100_000
        var line = "\(tenths / 10).\(tenths % 10) \(note.sequence) \(note.timestamp) \(note.bytes)"
        let letters: [(HeaderNote.Flags, String)] = [(.marker, "M"), (.keyFrame, "K"), (.late, "L")]
        let flags = letters.filter { note.flags.contains($0.0) }.map(\.1).joined()
        if !flags.isEmpty { line += " " + flags }
        if note.fate != .forwarded { line += " \(note.fate)" }
        return line
    }
}
