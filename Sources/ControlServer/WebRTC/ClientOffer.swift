package import MediaBase
package import MediaEngine
import SDP

/// Offer of a client, and the relay's answer to it.
package struct ClientOffer {
    /// CNAME of the relay in RTCP. All tracks share it, so that players synchronize audio and video.
    private static let cname = "millrace"

    private let offer: Offer
    /// Media sections that both sides use.
    private let tracks: [TrackDescription]
    private let direction: WebRTCRequest.Direction

    /// - Parameter codecs: video codecs that the relay forwards.
    package init(
        _ sdp: some Collection<UInt8>, _ direction: WebRTCRequest.Direction, codecs: [VideoCodec]
    ) throws(Problem) {
        self.direction = direction
        do throws(SDPError) {
            offer = try Offer(parsing: sdp)
            tracks = try direction == .publish ? offer.receivable(codecs) : offer.sendable(codecs)
        } catch {
            throw Problem(error)
        }
        if direction == .publish { try checkWhole() }
    }

    /// Refuses an offer of which the relay can accept only a part: the publisher would send less than its user expects (RFC 9725 section
    /// 4.4.2).
    private func checkWhole() throws(Problem) {
        for section in offer.description.media where ["audio", "video"].contains(section.media) {
            guard !section.isRejected, offer.description.direction(of: section).sends,
                !tracks.contains(where: { $0.mid.rawValue == section.mid })
            else { continue }
            throw Problem(
                .unusableSDP,
                tracks.contains { $0.kind.rawValue == section.media }
                    ? "SDP line \(section.number): a stream has one track of \(section.media)"
                    : "SDP line \(section.number): no codec for \(section.media) that the relay knows")
        }
    }

    /// Kinds of its tracks.
    var kinds: Set<MediaKind> { Set(tracks.map(\.kind)) }

    /// Codec of the video that a publisher sends.
    var codec: VideoCodec? { tracks.first { $0.kind == .video }?.videoCodec }

    /// Index of the video's media section, from 0.
    var videoSection: Int? {
        guard let track = tracks.first(where: { $0.kind == .video }) else { return nil }
        return offer.description.media.firstIndex { $0.mid == track.mid.rawValue }
    }

    package func request(session: String, stream: String?) -> WebRTCRequest {
        WebRTCRequest(direction: direction, session: session, stream: stream, peer: offer.peer, tracks: tracks)
    }

    /// Returns the text of the SDP answer.
    package func text(for answer: WebRTCAnswer) -> String {
        let relay = RelayDescription(
            credentials: answer.credentials, fingerprint: answer.fingerprint, setup: answer.setup,
            candidates: answer.candidates)
        let streamID = Self.identifier(answer.stream)
        let answered = tracks.compactMap { track -> AnsweredTrack? in
            switch direction {
            case .publish: return .receive(track)
            case .subscribe:
                // A track that the stream does not have is rejected.
                guard let source = answer.sources.first(where: { $0.mid == track.mid }) else { return nil }
                return .send(
                    track.limited(to: answer.codec), ssrc: source.ssrc, rtxSSRC: source.rtxSSRC, cname: Self.cname,
                    streamID: streamID,
                    trackID: track.kind.rawValue)
            }
        }
        return offer.answer(relay, tracks: answered).text
    }

    /// Returns a stream's name if it is valid in `a=msid` (RFC 8830 section 2: at most 64 token characters), or else an id made from its
    /// hash.
    private static func identifier(_ name: String) -> String {
        let isToken = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        if isToken, (1...64).contains(name.utf8.count), name != "-" { return name }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return "stream-" + String(hash, radix: 16)
    }
}
