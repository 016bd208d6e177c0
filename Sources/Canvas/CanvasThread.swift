import CLinuxNet
import MediaBase
import MediaEngine

/// Loop that reads a tap's packets, decodes them and calls the consumer. It runs on its own thread until the stream
/// ends, the consumer returns false, or the owner stops it.
final class CanvasThread {
    private let packets: PacketTap
    private let canvas: StreamCanvas
    private let consumer: any CanvasConsumer
    private let options: CanvasOptions
    private let state: CanvasState
    private let requestKeyFrame: @Sendable () -> Void
    private var statistics = CanvasStatistics()
    private var keyFrameAskedAt: MediaTime?
    private var keyFrameInterval = CanvasThread.shortestKeyFrameInterval
    private var reportedRestarts: UInt64 = 0
    private var reportedAt: MediaTime?

    /// Interval of key frame requests while none arrives; doubles with each request up to the longest. Each request
    /// costs all subscribers of the stream a key frame, and a publisher that ignored three requests will probably
    /// ignore the fourth.
    private static let shortestKeyFrameInterval: MediaTime = .seconds(1)
    private static let longestKeyFrameInterval: MediaTime = .seconds(8)
    /// Interval for video that cannot be decoded, because its publisher may switch to other video.
    private static let undecodableKeyFrameInterval: MediaTime = .seconds(60)
    /// Minimum time between two reports of timeline restarts, so that a publisher whose every packet jumps cannot flood
    /// the log.
    static let restartInterval: MediaTime = .seconds(60)
    private static let longestWait: MediaTime = .milliseconds(250)

    init(
        packets: PacketTap, canvas: StreamCanvas, consumer: any CanvasConsumer, options: CanvasOptions,
        state: CanvasState, requestKeyFrame: @escaping @Sendable () -> Void
    ) {
        self.packets = packets
        self.canvas = canvas
        self.consumer = consumer
        self.options = options
        self.state = state
        self.requestKeyFrame = requestKeyFrame
    }

    /// Starts `loop` on a new thread, which then owns the objects that `loop` refers to. Returns errno.
    static func start(_ loop: sending CanvasThread) -> Int32 { DetachedThread.run("canvas") { loop.run() } }

    private func run() {
        let start = now
        let end = options.duration.map { start + $0 } ?? .never
        let beginEnd = start + options.beginLimit
        var (goesOn, hasBegun) = (true, false)
        while goesOn, !state.isStopWanted, now < end {
            askForKeyFrame()
            _ = packets.wait(timeout: wait(until: end))
            // Bounded batch, so that stopping and timeouts are handled at any packet rate.
            for _ in 0..<256 {
                guard packets.next({ canvas.insert($0) }) != nil else { break }
            }
            canvas.handleTimeout(now: now)
            if packets.isClosed, packets.isEmpty {
                canvas.flush()
                goesOn = false
            }
            if !deliver() { goesOn = false }
            if options.endsIfUndecodable, canvas.video.isUndecodable { goesOn = false }
            publish()
            if !hasBegun, statistics.decodedFrames > 0 || now >= beginEnd {
                hasBegun = true
                state.begin()
            }
            reportRestarts()
        }
        packets.close()
        consumer.finish()
        publish()
        state.end()
    }

    /// Passes all output to the consumer; returns false when the tap must end.
    private func deliver() -> Bool {
        while let output = canvas.nextOutput() {
            switch output {
            case .frame(let frame):
                guard consumer.take(frame) else { return false }
            case .audio(let block):
                statistics.audioBlocks &+= 1
                guard consumer.take(block) else { return false }
            }
            if state.isStopWanted { return false }
        }
        return true
    }

    private func askForKeyFrame() {
        guard options.kinds.contains(.video), canvas.video.needsKeyFrame else {
            keyFrameAskedAt = nil
            keyFrameInterval = Self.shortestKeyFrameInterval
            return
        }
        if let at = keyFrameAskedAt {
            let interval = canvas.video.isUndecodable ? Self.undecodableKeyFrameInterval : keyFrameInterval
            if now - at < interval { return }
            keyFrameInterval = min(keyFrameInterval + keyFrameInterval, Self.longestKeyFrameInterval)
        }
        keyFrameAskedAt = now
        statistics.keyFrameRequests &+= 1
        requestKeyFrame()
    }

    private func reportRestarts() {
        guard let report = options.onRestart, statistics.restarts > reportedRestarts else { return }
        let time = now
        if let reportedAt, time - reportedAt < Self.restartInterval { return }
        reportedAt = time
        reportedRestarts = statistics.restarts
        report(statistics.restarts)
    }

    private func wait(until end: MediaTime) -> MediaTime {
        var wait = min(Self.longestWait, end - now)
        if let due = canvas.nextTimeout { wait = min(wait, due - now) }
        return max(.zero, wait)
    }

    private func publish() {
        statistics.droppedPackets = packets.dropped
        statistics.lostPackets = canvas.video.lostPackets &+ canvas.audio.lostPackets
        statistics.decodedFrames = canvas.video.decodedFrames
        statistics.droppedFrames = canvas.video.droppedFrames
        statistics.decodeErrors = canvas.video.decodeErrors &+ canvas.audio.decodeErrors
        statistics.oversizedFrames = canvas.video.oversizedFrames
        statistics.isUndecodable = canvas.video.isUndecodable
        statistics.unsupportedCodec = canvas.video.unsupportedCodec
        statistics.restarts = canvas.clock.restarts
        statistics.concealedSamples = canvas.audio.concealedSamples
        statistics.silentSamples = canvas.audio.silentSamples
        state.publish(statistics)
    }

    private var now: MediaTime { MediaTime(rawValue: millrace_monotonic_ns()) }
}
