import MediaBase
import MillraceClient

/// Media of one publisher in the order in which it is due; confined to a thread.
struct MediaSchedule {
    /// Media that a publisher sends.
    struct Source: Sendable {
        var video: VideoSource?
        var audio: AudioSource?
        /// Index of its tone in the audio source.
        let tone: Int
        /// Delay in nanoseconds from the encoding of a frame, and of an audio packet, to its sending by this publisher: publishers
        /// that share a source do not all send at once.
        let videoOffset: Int64
        let audioOffset: Int64
        /// Key of the end-to-end encryption; nil without encryption.
        var key: FrameKey?
    }

    /// RTP payload that is due.
    struct Payload {
        let kind: MediaKind
        /// Index among the encodings that the publisher sends; 0 for audio.
        var encoding = 0
        let bytes: [UInt8]
        /// Capture time in monotonic nanoseconds.
        let captured: Int64
        /// True for the last payload of a frame.
        var isLast = false
    }

    private(set) var statistics = SendStatistics()
    private let source: Source
    private var audio: DueItems<AudioSource.Packets>?
    private var video: DueItems<SourceFrame>?
    /// Encodings of the source that the publisher sends.
    private let encodings: [Int]
    /// Encodings whose first key frame was sent, as indices in `encodings`.
    private var begun: Set<Int> = []
    private var sealer: FrameSealer?
    /// Capture time of audio packet 0, so that the times of packets are whole intervals apart.
    private var audioEpoch: Int64?

    /// Creates a schedule that begins with the next frame and audio packet of the source.
    /// - Parameter encodings: encodings of the source that the relay accepts; empty if it accepts no video.
    init(_ source: Source, audio: Bool, encodings: [Int]) {
        self.source = source
        self.encodings = encodings
        if audio { self.audio = source.audio.map { DueItems($0.latest, offset: source.audioOffset) } }
        if !encodings.isEmpty { video = source.video.map { DueItems($0.latest, offset: source.videoOffset) } }
        sealer = source.key.map { FrameSealer($0, encodings: encodings.count) }
        // A new publisher's first frame must be a key frame.
        for index in encodings.indices { requestKeyFrame(index) }
    }

    /// Makes the next frame of an encoding, by its index among those that the publisher sends, a key frame.
    func requestKeyFrame(_ encoding: Int) {
        guard encodings.indices.contains(encoding) else { return }
        source.video?.requestKeyFrame(encoding: encodings[encoding])
    }

    /// Passes on all payloads that are due. Returns the time of the next known frame or audio packet, or `Int64.max`.
    mutating func send(now: Int64, _ transmit: (Payload) -> Void) -> Int64 {
        while let packets = audio?.take(now: now, counting: &statistics) { send(packets, transmit) }
        while let frame = video?.take(now: now, counting: &statistics) { send(frame, transmit) }
        return min(audio?.deadline ?? .max, video?.deadline ?? .max)
    }

    private mutating func send(_ packets: AudioSource.Packets, _ transmit: (Payload) -> Void) {
        let position = packets.number * AudioSource.interval.rawValue
        let epoch = audioEpoch ?? packets.ready - position
        audioEpoch = epoch
        let packet = packets.payloads[source.tone]
        guard let bytes = sealer == nil ? packet : sealer?.audio(packet) else { return statistics.refused += 1 }
        transmit(Payload(kind: .audio, bytes: bytes, captured: epoch + position))
    }

    /// Leaves out encodings before their first key frame, which cannot be decoded.
    private mutating func send(_ frame: SourceFrame, _ transmit: (Payload) -> Void) {
        for (index, encoding) in encodings.enumerated() {
            let encoded = frame.encodings[encoding]
            if encoded.isKeyFrame { begun.insert(index) }
            guard begun.contains(index) else { continue }
            guard let payloads = sealer == nil ? encoded.payloads : sealer?.payloads(of: encoded.bytes, encoding: index)
            else {
                statistics.refused += 1
                continue
            }
            for (i, bytes) in payloads.enumerated() {
                transmit(
                    Payload(
                        kind: .video, encoding: index, bytes: bytes, captured: frame.captured,
                        isLast: i == payloads.count - 1))
            }
        }
    }
}
