import Canvas
public import MediaBase

/// A reader of one stream's raw frames and audio at the relay, made by `Relay.tap(session:stream:app:options:)`. It decodes on a thread of its
/// own behind a bounded queue: a slow reader loses the oldest, counted, and delays neither forwarding nor other taps.
///
/// It ends with the stream, by `close()`, or when it is released. Both sequences then end.
///
/// ```swift
/// let tap = try await relay.tap(session: "demo", stream: "camera")
/// for await frame in tap.frames { analyse(frame) }
/// ```
public final class StreamTap: Sendable {
    private let canvas: CanvasTap
    private let queue: CanvasQueue

    init(_ canvas: CanvasTap, _ queue: CanvasQueue) {
        self.canvas = canvas
        self.queue = queue
    }

    /// Frames in I420 with rotation and capture time, for one reader. The first follows a key frame, which the tap requests.
    public var frames: AsyncStream<I420Frame> { queue.pictures }
    /// Stereo PCM at 48 kHz in blocks of a packet each, for one reader.
    public var audio: AsyncStream<PCMBlock> { queue.sound }

    public var statistics: TapStatistics { TapStatistics(canvas.statistics, queue) }

    /// Ends the tap: what is being decoded may still come.
    public func close() { canvas.close() }

    /// Returns when the tap has ended.
    public func ended() async { await canvas.ended() }
}
