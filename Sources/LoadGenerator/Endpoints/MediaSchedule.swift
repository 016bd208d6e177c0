import MillraceClient

/// Frames and audio packets of one publisher in the order in which they are due; confined to a thread.
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

    /// A frame that is due.
    struct Frame {
        /// Capture time in monotonic nanoseconds.
        let captured: Int64
        /// RTP payloads of each encoding, by index among the encodings that the publisher sends.
        let encodings: [(encoding: Int, payloads: [[UInt8]])]
    }

    var statistics = SendStatistics()
    private let source: Source
    /// Encodings of the source that the publisher sends.
    private let encodings: [Int]
    private var hasKeyFrame: [Bool]
    private var nextAudio: Int64
    private var nextFrame: Int64
    private var pendingAudio: AudioSource.Packet?
    private var pendingFrame: SourceFrame?
    private var sealer: FrameSealer?

    /// Creates a schedule that begins with the next frame and audio packet of the source.
    /// - Parameters:
    ///   - audio: true if the relay accepts audio.
    ///   - encodings: encodings of the source that the relay accepts; empty if it accepts no video.
    init(_ source: Source, audio: Bool, encodings: [Int]) {
        var accepted = source
        if !audio { accepted.audio = nil }
        if encodings.isEmpty { accepted.video = nil }
        self.source = accepted
        self.encodings = encodings
        hasKeyFrame = Array(repeating: false, count: encodings.count)
        nextAudio = accepted.audio?.nextNumber ?? 0
        nextFrame = accepted.video?.nextNumber ?? 0
        sealer = source.key.map { FrameSealer($0, encodings: encodings.count) }
        // A new publisher's first frame must be a key frame.
        for index in encodings.indices { requestKeyFrame(index) }
    }

    /// Makes the next frame of an encoding a key frame.
    /// - Parameter encoding: index among the encodings that the publisher sends.
    func requestKeyFrame(_ encoding: Int) {
        guard encodings.indices.contains(encoding) else { return }
        source.video?.requestKeyFrame(encoding: encodings[encoding])
    }

    /// Returns the next audio packet that is due; nil if there is none.
    mutating func takeAudio(now: Int64) -> AudioSource.Packet? {
        pendingAudio = pendingAudio ?? source.audio?.packet(nextAudio, tone: source.tone)
        guard let packet = pendingAudio, packet.ready + source.audioOffset <= now else { return nil }
        statistics.account(late: now - packet.ready - source.audioOffset, missed: packet.number - nextAudio)
        nextAudio = packet.number + 1
        pendingAudio = nil
        guard let sealer else { return packet }
        guard let sealed = sealer.audio(packet.payload) else {
            statistics.refused += 1
            return nil
        }
        return AudioSource.Packet(number: packet.number, ready: packet.ready, payload: sealed)
    }

    /// Returns the next frame that is due; nil if there is none. Leaves out encodings before their first key frame, which cannot be
    /// decoded.
    mutating func takeFrame(now: Int64) -> Frame? {
        pendingFrame = pendingFrame ?? source.video?.frame(nextFrame)
        guard let frame = pendingFrame, frame.ready + source.videoOffset <= now else { return nil }
        statistics.account(late: now - frame.ready - source.videoOffset, missed: frame.number - nextFrame)
        nextFrame = frame.number + 1
        pendingFrame = nil
        var sent: [(encoding: Int, payloads: [[UInt8]])] = []
        for (index, encoding) in encodings.enumerated() {
            let encoded = frame.encodings[encoding]
            hasKeyFrame[index] = hasKeyFrame[index] || encoded.isKeyFrame
            guard hasKeyFrame[index] else { continue }
            if let payloads = payloads(of: encoded, encoding: index) {
                sent.append((index, payloads))
            } else {
                statistics.refused += 1
            }
        }
        return Frame(captured: frame.captured, encodings: sent)
    }

    /// Returns the RTP payloads of a frame; nil if it cannot be encrypted.
    private mutating func payloads(of frame: SourceFrame.Encoding, encoding: Int) -> [[UInt8]]? {
        sealer == nil ? frame.payloads : sealer?.payloads(of: frame.bytes, encoding: encoding)
    }

    /// Time at which the next known frame or audio packet is due, or `Int64.max`.
    var deadline: Int64 {
        min(
            pendingAudio.map { $0.ready + source.audioOffset } ?? .max,
            pendingFrame.map { $0.ready + source.videoOffset } ?? .max)
    }
}
