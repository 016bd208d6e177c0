package import Containers
package import MediaBase

/// Writes raw frames as YUV4MPEG2, which has one size and one rate for the whole file. The first frame sets the size;
/// later frames of another size are scaled to fit, with black borders. Frames are placed by capture time: gaps are
/// filled by repeating the previous frame, and of two frames in one position the first is kept.
package final class Y4MCanvasWriter: CanvasConsumer {
    private let sink: any ByteSink
    private let rate: Int
    private var pacer: VideoPacer
    private var writer: Y4MWriter?
    private var last: I420Frame?
    /// Number of frames written.
    package private(set) var written: Int64 = 0
    /// Number of frames whose position was taken.
    package private(set) var skipped: Int64 = 0
    /// Error of the sink, which ends the tap.
    package private(set) var failure: ContainerError?

    /// - Parameter rate: frames per second of the file.
    /// - Precondition: `rate` is positive.
    package init(sink: any ByteSink, rate: Int = 30) {
        pacer = VideoPacer(rate: rate)
        self.sink = sink
        self.rate = rate
    }

    package func take(_ frame: I420Frame) -> Bool {
        guard failure == nil else { return false }
        do throws(ContainerError) { try write(frame) } catch { failure = error }
        return failure == nil
    }

    package func take(_ block: PCMBlock) -> Bool { failure == nil }

    package func finish() {
        do throws(ContainerError) {
            if let writer { try writer.finish() } else { try sink.close() }
        } catch { failure = failure ?? error }
    }

    package func write(_ frame: I420Frame) throws(ContainerError) {
        guard let repeats = pacer.add(frame.captureTime) else {
            skipped += 1
            return
        }
        guard let writer, let last else {
            let upright = frame.upright()
            let writer = try Y4MWriter(
                sink: sink, header: Y4MHeader(width: upright.width, height: upright.height, rate: rate))
            self.writer = writer
            try put(upright, writer)
            return
        }
        for _ in 0..<repeats { try put(last, writer) }
        try put(frame.fitted(width: writer.header.width, height: writer.header.height), writer)
    }

    private func put(_ frame: I420Frame, _ writer: Y4MWriter) throws(ContainerError) {
        try writer.write(frame)
        try writer.flush()
        last = frame
        written += 1
    }
}
