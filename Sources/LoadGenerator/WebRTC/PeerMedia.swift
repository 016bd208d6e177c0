import MediaBase
import RTP
import WebRTCClient

/// Sender of a publisher's frames and audio when they are due; confined to a thread.
struct PeerMedia {
    private var media: MediaSchedule
    private let audioTrack: Int?
    private let videoTrack: Int?
    /// Monotonic time of audio packet 0, in nanoseconds.
    private var audioEpoch: Int64?

    /// - Parameter endpoint: must be connected.
    init(_ source: MediaSchedule.Source, endpoint: WebRTCEndpoint) {
        let offered = endpoint.configuration.tracks
        audioTrack = offered.indices.first { offered[$0].kind == .audio && endpoint.encodingCount(track: $0) > 0 }
        videoTrack = offered.indices.first { offered[$0].kind == .video && endpoint.encodingCount(track: $0) > 0 }
        media = MediaSchedule(
            source, audio: audioTrack != nil, encodings: videoTrack.map { Self.encodings(of: $0, endpoint) } ?? [])
    }

    var statistics: SendStatistics { media.statistics }

    /// Returns the encodings that the relay accepts, as indices in the source.
    private static func encodings(of track: Int, _ endpoint: WebRTCEndpoint) -> [Int] {
        let offered = endpoint.configuration.tracks[track].encodings
        guard offered.count > 1 else { return [0] }
        let taken = Set(endpoint.tracks[track]?.encodings.compactMap(\.rid) ?? [])
        // A relay without simulcast accepts one encoding: the full size, which is offered last.
        guard !taken.isEmpty else { return [offered.count - 1] }
        return offered.indices.filter { offered[$0].rid.map(taken.contains) ?? false }
    }

    func requestKeyFrame(track: Int, encoding: Int) {
        if track == videoTrack { media.requestKeyFrame(encoding) }
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
            for (encoding, payloads) in frame.encodings {
                for (i, payload) in payloads.enumerated() {
                    payload.withUnsafeBytes {
                        _ = endpoint.send(
                            $0, track: track, encoding: encoding, time: .nanoseconds(frame.captured),
                            marker: i == payloads.count - 1, now: .nanoseconds(now))
                    }
                }
            }
        }
    }
}
