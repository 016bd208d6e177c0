package import Containers
import MediaBase

/// A canvas as the bytes of a file that never ends, for an HTTP body. Bytes are made when the reader asks for them, in pieces: a slow
/// reader loses whole frames or blocks, never a part of one, and a gap is filled as fast as it reads. Single reader; the tap ends with
/// the sequence.
package struct CanvasBytes: AsyncSequence, Sendable {
    package enum Format: Sendable {
        /// YUV4MPEG2 of the given rate.
        case y4m(rate: Int)
        /// WAVE, 48 kHz stereo.
        case wav
    }

    package typealias Element = [UInt8]
    package typealias Failure = ContainerError

    package let tap: CanvasTap
    package let queue: CanvasQueue
    package let format: Format

    /// - Parameter queue: the consumer that `tap` was opened with.
    package init(tap: CanvasTap, queue: CanvasQueue, format: Format) {
        self.tap = tap
        self.queue = queue
        self.format = format
    }

    package func makeAsyncIterator() -> Iterator { Iterator(self) }

    package final class Iterator: AsyncIteratorProtocol {
        /// Held so that the tap lives as long as it is read.
        private var source: CanvasBytes
        private let sink = MemoryPipe()
        private var pictures: AsyncStream<I420Frame>.Iterator
        private var sound: AsyncStream<PCMBlock>.Iterator
        private var y4m: Y4MChunks?
        private let wav: WAVCanvasWriter?

        init(_ source: CanvasBytes) {
            self.source = source
            pictures = source.queue.pictures.makeAsyncIterator()
            sound = source.queue.sound.makeAsyncIterator()
            switch source.format {
            case .y4m(let rate):
                y4m = Y4MChunks(rate: rate)
                wav = nil
            case .wav:
                y4m = nil
                wav = WAVCanvasWriter(sink: sink)
            }
        }

        deinit { source.tap.close() }

        /// Goes on with another stream in the same file, in the size and at the place that the bytes have reached.
        /// - Precondition: `next` has returned nil, and `following` has the same format.
        package func go(on following: CanvasBytes) {
            source.tap.close()
            source = following
            pictures = following.queue.pictures.makeAsyncIterator()
            sound = following.queue.sound.makeAsyncIterator()
        }

        /// Bytes of raw frames and audio that are held for the reader, those in the queue aside.
        package var heldBytes: Int { (y4m?.heldBytes ?? 0) + sink.count }

        package func next(isolation actor: isolated (any Actor)?) async throws(ContainerError) -> [UInt8]? {
            while true {
                // Filling a gap must not keep open a body that ends.
                if source.tap.isClosed {
                    y4m?.discard()
                    wav?.discard()
                }
                if y4m != nil {
                    if let bytes = y4m?.nextChunk() { return bytes }
                    guard let picture = await pictures.next(isolation: actor) else { return nil }
                    y4m?.begin(picture)
                } else if let wav {
                    while try wav.step() {
                        if let bytes = sink.take() { return bytes }
                    }
                    guard let block = await sound.next(isolation: actor) else { return nil }
                    try wav.begin(block)
                }
            }
        }

        package func next() async throws -> [UInt8]? { try await next(isolation: nil) }
    }
}
