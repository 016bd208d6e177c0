import MediaBase
import RTP
import WebRTCClient

/// Sender of a publisher's frames and audio when they are due; confined to a thread.
struct PeerMedia {
    private let setup: PeerSetup.Media
    private let audioTrack: Int?
    private let videoTrack: Int?
    /// Encodings that the relay accepts: index among these, and index in the source.
    private let encodings: [(place: Int, source: Int)]
    private var hasKeyFrame: [Bool]
    private var nextAudio: Int64
    private var nextPicture: Int64
    private var pendingAudio: AudioSource.Packet?
    private var pendingPicture: VideoPicture?
    /// Monotonic time of audio packet 0, in nanoseconds.
    private var audioEpoch: Int64?
    private(set) var statistics = SendStatistics()

    /// - Parameter endpoint: must be connected.
    init(_ setup: PeerSetup.Media, endpoint: WebRTCEndpoint) {
        self.setup = setup
        let offered = endpoint.configuration.tracks
        audioTrack = offered.indices.first { offered[$0].kind == .audio && endpoint.encodingCount(track: $0) > 0 }
        videoTrack = offered.indices.first { offered[$0].kind == .video && endpoint.encodingCount(track: $0) > 0 }
        encodings = videoTrack.map { Self.encodings(of: $0, endpoint) } ?? []
        hasKeyFrame = Array(repeating: false, count: encodings.count)
        nextAudio = setup.audio?.nextNumber ?? 0
        nextPicture = setup.video?.nextNumber ?? 0
        // A new publisher's first frame must be a key frame.
        for encoding in encodings { setup.video?.requestKeyFrame(encoding: encoding.source) }
    }

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
        setup.video?.requestKeyFrame(encoding: encoding.source)
    }

    /// Sends everything that is due. Returns the time of the next known event, or `Int64.max`.
    mutating func send(now: Int64, to endpoint: WebRTCEndpoint) -> Int64 {
        min(sendAudio(now: now, to: endpoint), sendVideo(now: now, to: endpoint))
    }

    private mutating func sendAudio(now: Int64, to endpoint: WebRTCEndpoint) -> Int64 {
        guard let source = setup.audio, let track = audioTrack else { return .max }
        while true {
            if pendingAudio == nil { pendingAudio = source.packet(nextAudio, tone: setup.tone) }
            guard let packet = pendingAudio else { return .max }
            let due = packet.ready + setup.audioOffset
            guard due <= now else { return due }
            statistics.account(late: now - due, missed: packet.number - nextAudio)
            let position = packet.number * AudioSource.interval.rawValue
            let epoch = audioEpoch ?? packet.ready - position
            audioEpoch = epoch
            packet.payload.withUnsafeBytes {
                _ = endpoint.send(
                    $0, track: track, time: .nanoseconds(epoch + position), marker: false,
                    level: AudioLevel(level: 20, isVoice: true), now: .nanoseconds(now))
            }
            nextAudio = packet.number + 1
            pendingAudio = nil
        }
    }

    private mutating func sendVideo(now: Int64, to endpoint: WebRTCEndpoint) -> Int64 {
        guard let source = setup.video, let track = videoTrack else { return .max }
        while true {
            if pendingPicture == nil { pendingPicture = source.picture(nextPicture) }
            guard let picture = pendingPicture else { return .max }
            let due = picture.ready + setup.videoOffset
            guard due <= now else { return due }
            statistics.account(late: now - due, missed: picture.number - nextPicture)
            nextPicture = picture.number + 1
            pendingPicture = nil
            for (place, encoding) in encodings.enumerated() {
                let encoded = picture.encodings[encoding.source]
                // Frames before the first key frame cannot be decoded.
                hasKeyFrame[place] = hasKeyFrame[place] || encoded.isKeyFrame
                guard hasKeyFrame[place] else { continue }
                for (i, payload) in encoded.payloads.enumerated() {
                    payload.withUnsafeBytes {
                        _ = endpoint.send(
                            $0, track: track, encoding: encoding.place, time: .nanoseconds(picture.captured),
                            marker: i == encoded.payloads.count - 1, now: .nanoseconds(now))
                    }
                }
            }
        }
    }
}
