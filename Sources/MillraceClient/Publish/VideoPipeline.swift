import Codecs
import Dispatch
import MediaBase
import NIOConcurrencyHelpers
import NIOCore

/// Encodes a publisher's frames on its own queue. If encoding does not keep up, the newest frame replaces the waiting one, which is
/// counted.
final class VideoPipeline: Sendable {
    struct Statistics: Hashable, Sendable {
        var pushed: UInt64 = 0
        var encoded: UInt64 = 0
        var keyFrames: UInt64 = 0
        /// Frames replaced by a newer one before encoding.
        var replaced: UInt64 = 0
    }

    private struct State {
        var waiting: (frame: I420Frame, time: MediaTime)?
        var isRunning = false
        var isPaused = true
        var keyFrames: Set<Int> = []
        var rates: [Bitrate?]
        var statistics = Statistics()
    }

    private struct Encoding {
        var encoder: VideoEncoder
        var wasSent = false
    }

    private let settings: PublisherSettings.Video
    private let share: BitrateShare
    private let audio: Bitrate
    private let queue = DispatchQueue(label: "millrace.encoder", qos: .userInitiated)
    private let state: NIOLockedValueBox<State>
    /// Accessed only on `queue`.
    nonisolated(unsafe) private var encodings: [Encoding] = []
    nonisolated(unsafe) private var size = (width: 0, height: 0)
    nonisolated(unsafe) private var lastTimestamp: Int64 = -1
    private let output: @Sendable (EncodedMedia) -> Void
    private let resized: @Sendable (Int, Int) -> Void
    private let failure: @Sendable (CodecError) -> Void

    init(
        _ settings: PublisherSettings.Video, audio: Bitrate, output: @escaping @Sendable (EncodedMedia) -> Void,
        resized: @escaping @Sendable (Int, Int) -> Void, failure: @escaping @Sendable (CodecError) -> Void
    ) {
        self.settings = settings
        self.audio = audio
        self.output = output
        self.resized = resized
        self.failure = failure
        share = BitrateShare(bitrate: settings.bitrate, count: settings.simulcast ? Self.simulcastCount : 1)
        state = NIOLockedValueBox(State(rates: share.most))
    }

    /// Number of simulcast encodings.
    static let simulcastCount = 3

    var encodingCount: Int { share.most.count }
    var statistics: Statistics { state.withLockedValue { $0.statistics } }
    /// Current bit rate, as the total of all encodings.
    var bitrate: Bitrate {
        state.withLockedValue { state in
            Bitrate(bitsPerSecond: state.rates.reduce(0) { $0 + ($1?.rawValue ?? 0) })
        }
    }

    /// Maximum bit rate including audio and headers, if the path had the capacity.
    var wanted: Bitrate {
        let sum = share.most.reduce(audio.rawValue) { $0 + $1.rawValue }
        return Bitrate(bitsPerSecond: Int64(Double(sum) / (1 - BitrateShare.overhead)))
    }

    /// Pauses encoding while there is no path, or resumes it with key frames.
    func setPaused(_ isPaused: Bool) {
        state.withLockedValue { state in
            state.isPaused = isPaused
            if isPaused { state.waiting = nil } else { state.keyFrames = Set(0..<share.most.count) }
        }
    }

    func requestKeyFrame(encoding: Int) {
        state.withLockedValue { state in
            if share.most.indices.contains(encoding) { state.keyFrames.insert(encoding) }
        }
    }

    /// Begins all encodings with key frames again.
    func requestKeyFrames() { state.withLockedValue { $0.keyFrames = Set(0..<share.most.count) } }

    /// - Parameter available: capacity of the path; nil if unknown.
    func setAvailable(_ available: Bitrate?) {
        let rates = share.rates(available: available, audio: audio)
        state.withLockedValue { $0.rates = rates }
    }

    func push(_ frame: I420Frame, time: MediaTime) {
        let starts = state.withLockedValue { state in
            state.statistics.pushed += 1
            guard !state.isPaused else { return false }
            if state.waiting != nil { state.statistics.replaced += 1 }
            state.waiting = (frame, time)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { queue.async { [self] in run() } }
    }

    private func run() {
        while let (frame, time, rates, keyFrames) = next() {
            do throws(CodecError) {
                try encode(frame, time, rates, keyFrames)
            } catch {
                size = (0, 0)
                failure(error)
            }
        }
    }

    private func next() -> (I420Frame, MediaTime, [Bitrate?], Set<Int>)? {
        state.withLockedValue { state in
            guard let (frame, time) = state.waiting else {
                state.isRunning = false
                return nil
            }
            state.waiting = nil
            defer { state.keyFrames.removeAll() }
            return (frame, time, state.rates, state.keyFrames)
        }
    }

    private func encode(
        _ frame: I420Frame, _ time: MediaTime, _ rates: [Bitrate?], _ keyFrames: Set<Int>
    ) throws(CodecError) {
        // Each smaller frame is scaled from the next larger one.
        var scaled = [FrameRotator.upright(frame)]
        while scaled.count < share.most.count, let smaller = FrameScaler.half(scaled[scaled.count - 1]) {
            scaled.append(smaller)
        }
        let frames = Array(scaled.reversed())
        try prepare(frames)
        let timestamp = max(lastTimestamp + 1, time.rawValue / 1_000 * 9 / 100)
        lastTimestamp = timestamp
        for (index, frame) in frames.enumerated() {
            guard let rate = rates[index] else {
                encodings[index].wasSent = false
                continue
            }
            let encoder = encodings[index].encoder
            if encoder.bitrate != rate { try encoder.setBitrate(rate) }
            // An encoding that was not sent for a while needs a key frame, because receivers lack its reference frames.
            let forced = keyFrames.contains(index) || !encodings[index].wasSent
            guard let encoded = try encoder.encode(frame, timestamp: timestamp, forceKeyFrame: forced) else { continue }
            encodings[index].wasSent = true
            state.withLockedValue { state in
                state.statistics.encoded += 1
                if encoded.isKeyFrame { state.statistics.keyFrames += 1 }
            }
            output(
                .video(
                    encoding: index, bytes: encoded.bytes, isKeyFrame: encoded.isKeyFrame,
                    isReference: encoded.isReference, time: time))
        }
    }

    /// Returns the encoder threads for a frame. The time that VP8 takes needs one; the other codecs take several times as long, and divide
    /// only large frames.
    private func threads(for frame: I420Frame) -> Int {
        guard settings.codec != .vp8 else { return 1 }
        let pixels = frame.width * frame.height
        return min(System.coreCount, pixels >= 1_280 * 720 ? 4 : pixels >= 640 * 360 ? 2 : 1)
    }

    private func prepare(_ frames: [I420Frame]) throws(CodecError) {
        guard let largest = frames.last, largest.width != size.width || largest.height != size.height else { return }
        let isChange = size.width != 0
        encodings = []
        for (index, frame) in frames.enumerated() {
            encodings.append(
                Encoding(
                    encoder: try VideoEncoder(
                        settings.codec,
                        VideoEncoderConfiguration(
                            width: frame.width, height: frame.height, framesPerSecond: settings.framesPerSecond,
                            bitrate: share.most[index], threads: threads(for: frame), speed: settings.speed,
                            mayDropFrames: true))))
        }
        size = (largest.width, largest.height)
        if isChange || largest.width != settings.width || largest.height != settings.height {
            resized(largest.width, largest.height)
        }
    }
}
