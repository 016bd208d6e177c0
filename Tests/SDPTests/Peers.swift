import MediaBase
import MillraceTestKit
import SDP
import Testing

/// Offers of real clients and the relay that answers them.
enum Peers {
    static let publishers = [
        "aiortc-publish", "chromium-publish", "chromium-simulcast", "firefox-publish", "firefox-simulcast",
        "gstreamer-publish", "libdatachannel-publish", "obs-publish", "safari-simulcast", "sources-simulcast",
    ]
    static let subscribers = [
        "aiortc-view", "chromium-data", "chromium-view", "firefox-data", "firefox-view", "pion-view",
    ]

    static func text(_ name: String) throws -> String { try TestVector.text("sdp/\(name).sdp") }

    static func offer(_ name: String) throws -> Offer {
        try Offer(parsing: text(name).utf8)
    }

    static var relay: RelayDescription {
        get throws {
            var random = SeededGenerator(seed: 7)
            let fingerprint = try #require(CertificateFingerprint(.sha256, bytes: random.bytes(32)))
            return RelayDescription(
                credentials: .random(using: &random), fingerprint: fingerprint, setup: .passive,
                candidates: [
                    ICECandidate(
                        foundation: "1", transport: .udp, priority: 2_130_706_431, host: "192.0.2.9", port: 7882),
                    ICECandidate(
                        foundation: "2", transport: .udp, priority: 2_130_706_175, host: "2001:db8::9", port: 7882),
                    ICECandidate(
                        foundation: "3", transport: .tcp, priority: 1_671_430_143, host: "192.0.2.9", port: 7882,
                        tcpType: .passive),
                ])
        }
    }

    static func receive(_ tracks: [TrackDescription]) -> [AnsweredTrack] { tracks.map { .receive($0) } }

    static func send(_ tracks: [TrackDescription]) -> [AnsweredTrack] {
        tracks.enumerated().map { index, track in
            .send(
                track, ssrc: SSRC(UInt32(1000 + index)),
                rtxSSRC: track.rtxPayloadType == nil ? nil : SSRC(UInt32(2000 + index)), cname: "cname",
                streamID: "stream", trackID: "track\(index)")
        }
    }
}

extension String {
    /// Replaces every occurrence of a text; records an issue if there is none.
    func changing(_ old: String, to new: String) -> String {
        let parts = split(separator: old, omittingEmptySubsequences: false)
        precondition(parts.count > 1, "nothing to change: \(old)")
        return parts.joined(separator: new)
    }

    /// Inserts a line at the session level.
    func withSessionLine(_ line: String) -> String { changing("t=0 0\r\n", to: "t=0 0\r\n\(line)\r\n") }
}
