import CLinuxNet
import Codecs
import MediaBase
import NIOConcurrencyHelpers
import RTP
import Synchronization
import TestMedia

/// Source of one synthetic video, drawn and encoded on its own thread, in real time, for any number of publishers.
final class VideoSource: Sendable {
    struct Statistics: Sendable {
        var frames: UInt64 = 0
        /// Frames skipped because the encoder was late.
        var skipped: UInt64 = 0
        /// Time from capture to the end of encoding, in microseconds.
        var encodeTime = Distribution()
    }

    let thread: LoadThread
    let latest = SourceRing<SourceFrame>(capacity: 32)
    /// Smallest first; more than one only for simulcast.
    private let formats: [VideoFormat]
    private let bitrates: [Bitrate]
    private let clock: LoadClock
    private let counted = NIOLockedValueBox(Statistics())
    /// Encodings whose next frame must be a key frame, one bit each.
    private let wantsKeyFrame = Atomic<UInt8>(0)

    /// Maximum size of an RTP payload in bytes.
    static let maximumPayloadLength = 1_200

    /// Returns the source of all publishers of a run, or one of each publisher; none without video.
    static func sources(of plan: LoadPlan, clock: LoadClock) -> [VideoSource] {
        guard let format = plan.video else { return [] }
        let formats = plan.simulcast ? format.simulcast : [format]
        let bitrates = formats.dropLast().map(\.usualBitrate) + [plan.videoBitrate ?? format.usualBitrate]
        let names = plan.distinctVideo ? (0..<plan.totalPublishers).map { "load-video-\($0)" } : ["load-video"]
        return names.map { VideoSource(name: $0, formats: formats, bitrates: bitrates, clock: clock) }
    }

    /// - Parameter bitrates: one for each format.
    private init(name: String, formats: [VideoFormat], bitrates: [Bitrate], clock: LoadClock) {
        self.formats = formats
        self.bitrates = bitrates
        self.clock = clock
        thread = LoadThread(name: name)
    }

    /// - Parameter listener: an eventfd that is signalled with each frame.
    func start(listener: Int32) throws(LoadError) {
        guard let interval = formats.first?.interval else { return }
        try thread.start(every: interval) { [self] in
            var encoders = try zip(formats, bitrates).map { try Encoder(format: $0, bitrate: $1) }
            let start = LoadClock.now
            var number: Int64 = 0
            var lastTicks: Int64 = -1
            return { [self] skipped in
                let captured = LoadClock.now
                let bar = FrameBar(
                    counter: UInt32(truncatingIfNeeded: number),
                    captureMicroseconds: clock.unixMicroseconds(at: captured))
                lastTicks = max(lastTicks + 1, MediaTime.nanoseconds(captured - start).ticks(clockRate: 90_000))
                let force = wantsKeyFrame.exchange(0, ordering: .relaxed)
                var encodings: [SourceFrame.Encoding] = []
                for index in encoders.indices {
                    let isForced = force & (1 << UInt8(index)) != 0
                    guard let encoding = try encoders[index].encode(bar, timestamp: lastTicks, forceKeyFrame: isForced)
                    else { return }
                    encodings.append(encoding)
                }
                let ready = LoadClock.now
                latest.add(SourceFrame(number: number, captured: captured, ready: ready, encodings: encodings))
                counted.withLockedValue {
                    $0.frames += 1
                    $0.skipped += UInt64(skipped)
                    $0.encodeTime.record((ready - captured) / 1_000)
                }
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
    func requestKeyFrame(encoding: Int) {
        _ = wantsKeyFrame.bitwiseOr(1 << UInt8(truncatingIfNeeded: encoding & 7), ordering: .relaxed)
    }

    var statistics: Statistics { counted.withLockedValue { $0 } }
}
