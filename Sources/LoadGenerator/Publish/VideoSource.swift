internal import CLinuxNet
internal import Codecs
internal import MediaBase
internal import RTP
import Synchronization

/// Draws and encodes one synthetic video on a thread of its own, in real time, for any number of publishers. Only the last few
/// pictures are kept: a slow reader misses some.
final class VideoSource: Sendable {
    let format: VideoFormat
    let bitrate: Bitrate
    let thread: SourceThread
    private let clock: LoadClock
    private let state = Locked(State())
    private let wantsKeyFrame = Atomic<Bool>(false)

    private static let kept: Int64 = 32

    private struct State {
        var pictures: [VideoPicture?] = Array(repeating: nil, count: Int(VideoSource.kept))
        var next: Int64 = 0
        var statistics = VideoSourceStatistics()
    }

    init(name: String, format: VideoFormat, bitrate: Bitrate, clock: LoadClock) {
        self.format = format
        self.bitrate = bitrate
        self.clock = clock
        thread = SourceThread(name: name)
    }

    /// - Parameter listener: an eventfd that is signalled with each picture.
    func start(listener: Int32) throws(LoadError) {
        try thread.start(interval: format.interval) { [self] in
            let encoder = try VP8Encoder(
                VP8EncoderConfiguration(
                    width: format.width, height: format.height, framesPerSecond: Double(format.framesPerSecond),
                    bitrate: bitrate, speed: 8))
            let picture = TestPicture(width: format.width, height: format.height)
            var frame = I420Frame(width: format.width, height: format.height)
            var packetizer = VP8Packetizer(maximumPayloadLength: 1_200)
            let start = LoadClock.now
            var number: Int64 = 0
            var lastTicks: Int64 = -1
            return { [self] skipped in
                let captured = LoadClock.now
                let bar = FrameBar(
                    counter: UInt32(truncatingIfNeeded: number),
                    captureMicroseconds: clock.unixMicroseconds(at: captured))
                picture.draw(bar, into: &frame)
                lastTicks = max(lastTicks + 1, RTPTicks.ticks(nanoseconds: captured - start, clockRate: 90_000))
                let force = wantsKeyFrame.exchange(false, ordering: .relaxed)
                guard let encoded = try encoder.encode(frame, timestamp: lastTicks, forceKeyFrame: force) else {
                    return
                }
                publish(
                    VideoPicture(
                        number: number, captured: captured, ready: LoadClock.now, isKeyFrame: encoded.isKeyFrame,
                        payloads: packetizer.payloads(of: encoded.bytes)),
                    bytes: encoded.bytes.count, skipped: skipped)
                number += 1
                millrace_event_signal(listener)
            }
        }
    }

    /// The next picture becomes a key frame.
    func requestKeyFrame() { wantsKeyFrame.store(true, ordering: .relaxed) }

    var statistics: VideoSourceStatistics { state.withLock { $0.statistics } }
    /// Number of the picture to come next.
    var nextNumber: Int64 { state.withLock { $0.next } }

    /// Picture `number`, the oldest kept one where it is gone; nil where it is still to come.
    func picture(_ number: Int64) -> VideoPicture? {
        state.withLock { state in
            guard number < state.next else { return nil }
            return state.pictures[Int(max(number, state.next - Self.kept) % Self.kept)]
        }
    }

    private func publish(_ picture: VideoPicture, bytes: Int, skipped: Int64) {
        state.withLock { state in
            state.pictures[Int(picture.number % Self.kept)] = picture
            state.next = picture.number + 1
            state.statistics.pictures += 1
            state.statistics.keyFrames += picture.isKeyFrame ? 1 : 0
            state.statistics.bytes += UInt64(bytes)
            state.statistics.skipped += UInt64(skipped)
            state.statistics.encodeTime.record((picture.ready - picture.captured) / 1_000)
        }
    }
}
