import DequeModule
package import MediaBase

/// Frames that wait for one reader of a live stream, bounded in time and bytes. Sans-IO: the caller passes the time.
///
/// A reader falls behind when its oldest frame has waited for `Options.maximumWait`, or when the frames exceed
/// `Options.maximumBytes`. All waiting frames are then dropped, and the reader continues with the next key frame. A
/// reader that falls behind `Options.maximumSkips` times within `Options.skipWindow` is too slow for the stream.
package struct LiveBacklog: Sendable {
    package struct Options: Sendable {
        /// Maximum time that a frame waits for the reader.
        package var maximumWait: MediaTime = .seconds(5)
        /// Maximum bytes of waiting frames: 5 s at 13 Mb/s.
        package var maximumBytes = 8 << 20
        /// Number of skips within `skipWindow` that ends the reader.
        package var maximumSkips = 3
        package var skipWindow: MediaTime = .seconds(60)
        package init() {}
    }

    package enum Element: Sendable {
        /// Start of the file: always the first element, and never dropped.
        case start(StreamRecording.Start)
        /// - isResumed: whether frames before this one were dropped.
        case frame(StreamRecording.Frame, isResumed: Bool)
    }

    private struct Waiting {
        var frame: StreamRecording.Frame
        var isResumed: Bool
        var since: MediaTime
    }

    private let options: Options
    private var start: StreamRecording.Start?
    private var hasVideo = false
    private var waiting: Deque<Waiting> = []
    private var recentSkips: [MediaTime] = []
    private var isSkipping = false
    /// Bytes of the waiting frames.
    package private(set) var bytes = 0
    /// Number of times that the reader fell behind.
    package private(set) var skips: UInt64 = 0
    package private(set) var skippedFrames: UInt64 = 0
    /// Whether the reader fell behind too often. Later frames are dropped.
    package private(set) var isTooSlow = false

    package init(options: Options = Options()) { self.options = options }

    /// Whether the reader can only continue with a key frame, which the caller requests.
    package var needsKeyFrame: Bool { isSkipping && hasVideo && !isTooSlow }

    package mutating func begin(_ start: StreamRecording.Start) {
        self.start = start
        hasVideo = start.hasVideo
    }

    package mutating func append(_ frame: StreamRecording.Frame, now: MediaTime) {
        let isLate = waiting.first.map { now - $0.since >= options.maximumWait } ?? false
        if !isTooSlow, isLate || bytes + frame.bytes.count > options.maximumBytes { skip(now: now) }
        let isResumed = isSkipping && frame.isKeyFrame && (frame.kind == .video || !hasVideo)
        guard !isTooSlow, !isSkipping || isResumed, frame.bytes.count <= options.maximumBytes else {
            skippedFrames &+= 1
            return
        }
        isSkipping = false
        waiting.append(Waiting(frame: frame, isResumed: isResumed, since: now))
        bytes += frame.bytes.count
    }

    /// Returns and removes the oldest element.
    package mutating func next() -> Element? {
        if let start {
            self.start = nil
            return .start(start)
        }
        guard let oldest = waiting.popFirst() else { return nil }
        bytes -= oldest.frame.bytes.count
        return .frame(oldest.frame, isResumed: oldest.isResumed)
    }

    private mutating func skip(now: MediaTime) {
        skippedFrames &+= UInt64(waiting.count)
        waiting = []
        bytes = 0
        isSkipping = true
        skips &+= 1
        recentSkips.removeAll { now - $0 >= options.skipWindow }
        recentSkips.append(now)
        isTooSlow = recentSkips.count >= options.maximumSkips
    }
}
