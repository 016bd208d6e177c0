package import Containers
package import MediaBase

/// Raw pictures as YUV4MPEG2, which knows one size and one rate for the whole file. The first picture sets the size:
/// later ones of another size are fitted into it, with black around them. A picture stands at its capture time: what is
/// missing is filled by repeating the one before, and of two in one place the first is kept.
package final class Y4MCanvasWriter: CanvasConsumer {
    private let sink: any ByteSink
    private let rate: Int
    private var writer: Y4MWriter?
    private var first: MediaTime = .zero
    private var last: I420Frame?
    /// Pictures written.
    package private(set) var written: Int64 = 0
    /// Pictures that had no place of their own.
    package private(set) var skipped: Int64 = 0
    /// What the sink refused; the tap ends with it.
    package private(set) var failure: ContainerError?

    /// A longer pause is not filled: the pictures go on right after it.
    static let maximumFillSeconds = 10

    /// - Parameter rate: pictures a second of the file.
    /// - Precondition: `rate` is positive.
    package init(sink: any ByteSink, rate: Int = 30) {
        precondition(rate > 0)
        self.sink = sink
        self.rate = rate
    }

    package func take(_ picture: I420Frame) -> Bool {
        guard failure == nil else { return false }
        do throws(ContainerError) { try write(picture) } catch { failure = error }
        return failure == nil
    }

    package func take(_ sound: PCMBlock) -> Bool { failure == nil }

    package func finish() {
        do throws(ContainerError) {
            if let writer { try writer.finish() } else { try sink.close() }
        } catch { failure = failure ?? error }
    }

    package func write(_ picture: I420Frame) throws(ContainerError) {
        guard let writer, let last else {
            let upright = picture.upright()
            let writer = try Y4MWriter(
                sink: sink, header: Y4MHeader(width: upright.width, height: upright.height, rate: rate))
            self.writer = writer
            first = picture.captureTime
            try put(upright, writer)
            return
        }
        var place = self.place(of: picture)
        if place - written > Int64(rate * Self.maximumFillSeconds) || place < written - Int64(rate) {
            // A pause, or a publisher that began anew: this picture is the next.
            first = picture.captureTime - .nanoseconds(written * 1_000_000_000 / Int64(rate))
            place = written
        }
        guard place >= written else {
            skipped += 1
            return
        }
        while written < place { try put(last, writer) }
        try put(picture.fitted(width: writer.header.width, height: writer.header.height), writer)
    }

    private func place(of picture: I420Frame) -> Int64 {
        Int64(((picture.captureTime - first).seconds * Double(rate)).rounded())
    }

    private func put(_ picture: I420Frame, _ writer: Y4MWriter) throws(ContainerError) {
        try writer.write(picture)
        try writer.flush()
        last = picture
        written += 1
    }
}
