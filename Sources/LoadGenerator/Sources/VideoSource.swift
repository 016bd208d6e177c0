import CLinuxNet
import Codecs
import MediaBase
import NIOConcurrencyHelpers
import RTP
import Synchronization
import TestMedia

/// Source of one synthetic video, drawn and encoded on its own thread, in real time, for any number of publishers. Only the last 32
/// frames are stored: a slow reader misses some.
final class VideoSource: Sendable {
    /// Smallest first; more than one only for simulcast.
    let formats: [VideoFormat]
    let bitrates: [Bitrate]
    let thread: SourceThread
    private let clock: LoadClock
    private let state = NIOLockedValueBox(State())
    /// Encodings whose next frame must be a key frame, one bit each.
    private let wantsKeyFrame = Atomic<UInt8>(0)

    /// Maximum size of an RTP payload in bytes.
    static let maximumPayloadLength = 1_200
    private static let kept: Int64 = 32

    private struct State {
        var frames: [SourceFrame?] = Array(repeating: nil, count: Int(VideoSource.kept))
        var next: Int64 = 0
        var statistics = VideoSourceStatistics()
    }

    /// - Parameter bitrates: one for each format.
    init(name: String, formats: [VideoFormat], bitrates: [Bitrate], clock: LoadClock) {
        self.formats = formats
        self.bitrates = bitrates
        self.clock = clock
        thread = SourceThread(name: name)
    }

    /// - Parameter listener: an eventfd that is signalled with each frame.
    func start(listener: Int32) throws(LoadError) {
        guard let interval = formats.first?.interval else { return }
        try thread.start(interval: interval) { [self] in
            var encoders = try zip(formats, bitrates).map { try Encoder(format: $0, bitrate: $1) }
            let start = LoadClock.now
            var number: Int64 = 0
            var lastTicks: Int64 = -1
            return { [self] skipped in
                let captured = LoadClock.now
                let bar = FrameBar(
                    counter: UInt32(truncatingIfNeeded: number),
                    captureMicroseconds: clock.unixMicroseconds(at: captured))
                lastTicks = max(lastTicks + 1, RTPTicks.ticks(nanoseconds: captured - start, clockRate: 90_000))
                let force = wantsKeyFrame.exchange(0, ordering: .relaxed)
                var encodings: [SourceFrame.Encoding] = []
                for index in encoders.indices {
                    let isForced = force & (1 << UInt8(index)) != 0
                    guard let encoding = try encoders[index].encode(bar, timestamp: lastTicks, forceKeyFrame: isForced)
                    else { return }
                    encodings.append(encoding)
                }
                publish(
                    SourceFrame(number: number, captured: captured, ready: LoadClock.now, encodings: encodings),
                    skipped: skipped)
                number += 1
                millrace_event_signal(listener)
            }
        }
    }

    /// Encoder of one size, which also draws the frames.
    private struct Encoder {
        private let encoder: VP8Encoder
        private let drawing: TestVideo
        private var frame: I420Frame
        private var packetizer = VP8Packetizer(maximumPayloadLength: VideoSource.maximumPayloadLength)

        init(format: VideoFormat, bitrate: Bitrate) throws {
            encoder = try VP8Encoder(
                VP8EncoderConfiguration(
                    width: format.width, height: format.height, framesPerSecond: Double(format.framesPerSecond),
                    bitrate: bitrate, speed: 8))
            drawing = TestVideo(width: format.width, height: format.height)
            frame = I420Frame(width: format.width, height: format.height)
        }

        mutating func encode(_ bar: FrameBar, timestamp: Int64, forceKeyFrame: Bool) throws -> SourceFrame.Encoding? {
            drawing.draw(bar, into: &frame)
            return try encoder.encode(frame, timestamp: timestamp, forceKeyFrame: forceKeyFrame).map {
                SourceFrame.Encoding(
                    isKeyFrame: $0.isKeyFrame, bytes: $0.bytes, payloads: packetizer.payloads(of: $0.bytes))
            }
        }
    }

    /// Makes the next frame of an encoding a key frame.
    func requestKeyFrame(encoding: Int = 0) {
        _ = wantsKeyFrame.bitwiseOr(1 << UInt8(truncatingIfNeeded: encoding & 7), ordering: .relaxed)
    }

    var statistics: VideoSourceStatistics { state.withLockedValue { $0.statistics } }
    /// Number of the next frame.
    var nextNumber: Int64 { state.withLockedValue { $0.next } }

    /// Returns frame `number`, or the oldest stored one if it is gone; nil if it is not encoded yet.
    func frame(_ number: Int64) -> SourceFrame? {
        state.withLockedValue { state in
            guard number < state.next else { return nil }
            return state.frames[Int(max(number, state.next - Self.kept) % Self.kept)]
        }
    }

    private func publish(_ frame: SourceFrame, skipped: Int64) {
        state.withLockedValue { state in
            state.frames[Int(frame.number % Self.kept)] = frame
            state.next = frame.number + 1
            state.statistics.frames += 1
            state.statistics.keyFrames += frame.encodings.contains(where: \.isKeyFrame) ? 1 : 0
            state.statistics.skipped += UInt64(skipped)
            state.statistics.encodeTime.record((frame.ready - frame.captured) / 1_000)
        }
    }
}
