import Canvas
public import MediaBase

/// A reader of one stream's raw frames and audio at the relay, made by `Relay.tap(session:stream:app:options:)`. It
/// decodes on its own thread behind a bounded queue: a slow reader loses the oldest frames, which are counted, and
/// delays neither forwarding nor other taps.
///
/// The tap ends with the stream, by `close()`, or when it is released. Both sequences then end.
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

    /// Frames in I420 with rotation and capture time, for a single reader. The first one is a key frame, which the tap
    /// requests.
    public var frames: AsyncStream<I420Frame> { queue.frames }
    /// Stereo PCM at 48 kHz, one block for each packet, for a single reader.
    public var audio: AsyncStream<PCMBlock> { queue.audio }

    public var statistics: TapStatistics { TapStatistics(canvas.statistics, queue) }

    /// Ends the tap. A frame that is being decoded may still be delivered.
    public func close() { canvas.close() }

    /// Returns when the tap has ended.
    public func ended() async { await canvas.ended() }
}
