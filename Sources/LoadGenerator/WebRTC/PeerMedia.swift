import MediaBase
import RTP
import WebRTCClient

/// Sender of a publisher's frames and audio when they are due; confined to a thread.
struct PeerMedia {
    private var media: MediaSchedule
    private let audioTrack: Int?
    private let videoTrack: Int?
    /// Encodings that the relay accepts: index among these, and index in the source.
    private let encodings: [(place: Int, source: Int)]
    private var hasKeyFrame: [Bool]
    /// Monotonic time of audio packet 0, in nanoseconds.
    private var audioEpoch: Int64?

    /// - Parameter endpoint: must be connected.
    init(_ source: MediaSchedule.Source, endpoint: WebRTCEndpoint) {
        let offered = endpoint.configuration.tracks
        audioTrack = offered.indices.first { offered[$0].kind == .audio && endpoint.encodingCount(track: $0) > 0 }
        videoTrack = offered.indices.first { offered[$0].kind == .video && endpoint.encodingCount(track: $0) > 0 }
        encodings = videoTrack.map { Self.encodings(of: $0, endpoint) } ?? []
        hasKeyFrame = Array(repeating: false, count: encodings.count)
        var accepted = source
        if audioTrack == nil { accepted.audio = nil }
        if videoTrack == nil { accepted.video = nil }
        media = MediaSchedule(accepted)
        // A new publisher's first frame must be a key frame.
        for encoding in encodings { accepted.video?.requestKeyFrame(encoding: encoding.source) }
    }

    var statistics: SendStatistics { media.statistics }

    private static func encodings(of track: Int, _ endpoint: WebRTCEndpoint) -> [(place: Int, source: Int)] {
        let offered = endpoint.configuration.tracks[track].encodings
        guard offered.count > 1 else { return [(0, 0)] }
        let taken = Set(endpoint.tracks[track]?.encodings.compactMap(\.rid) ?? [])
        // A relay without simulcast accepts one encoding: the full size, which is offered last.
        guard !taken.isEmpty else { return [(offered.count - 1, offered.count - 1)] }
        return offered.indices.filter { offered[$0].rid.map(taken.contains) ?? false }.enumerated()
            .map { ($0.offset, $0.element) }
    }

    func requestKeyFrame(track: Int, place: Int) {
        guard track == videoTrack, let encoding = encodings.first(where: { $0.place == place }) else { return }
        media.source.video?.requestKeyFrame(encoding: encoding.source)
    }

    /// Sends everything that is due. Returns the time of the next known event, or `Int64.max`.
    mutating func send(now: Int64, to endpoint: WebRTCEndpoint) -> Int64 {
        if let audioTrack { sendAudio(track: audioTrack, now: now, to: endpoint) }
        if let videoTrack { sendVideo(track: videoTrack, now: now, to: endpoint) }
        return media.deadline
    }

    private mutating func sendAudio(track: Int, now: Int64, to endpoint: WebRTCEndpoint) {
        while let packet = media.takeAudio(now: now) {
            let position = packet.number * AudioSource.interval.rawValue
            let epoch = audioEpoch ?? packet.ready - position
            audioEpoch = epoch
            packet.payload.withUnsafeBytes {
                _ = endpoint.send(
                    $0, track: track, time: .nanoseconds(epoch + position), marker: false,
                    level: AudioLevel(level: 20, isVoice: true), now: .nanoseconds(now))
            }
        }
    }

    private mutating func sendVideo(track: Int, now: Int64, to endpoint: WebRTCEndpoint) {
        while let frame = media.takeFrame(now: now) {
            for (place, encoding) in encodings.enumerated() {
                let encoded = frame.encodings[encoding.source]
                // Frames before the first key frame cannot be decoded.
                hasKeyFrame[place] = hasKeyFrame[place] || encoded.isKeyFrame
                guard hasKeyFrame[place] else { continue }
                for (i, payload) in encoded.payloads.enumerated() {
                    payload.withUnsafeBytes {
                        _ = endpoint.send(
                            $0, track: track, encoding: encoding.place, time: .nanoseconds(frame.captured),
                            marker: i == encoded.payloads.count - 1, now: .nanoseconds(now))
                    }
                }
            }
        }
    }
}
