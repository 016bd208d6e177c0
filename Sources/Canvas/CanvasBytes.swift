package import Containers
internal import MediaBase

/// A canvas as the bytes of a file that never ends, for an HTTP body. Bytes are made when the reader asks for them: a
/// slow reader loses whole pictures or blocks, never a part of one. Single reader; the tap ends with the sequence.
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
        private let source: CanvasBytes
        private let sink = MemoryPipe()
        private var pictures: AsyncStream<I420Frame>.Iterator
        private var sound: AsyncStream<PCMBlock>.Iterator
        private let y4m: Y4MCanvasWriter?
        private let wav: WAVCanvasWriter?

        init(_ source: CanvasBytes) {
            self.source = source
            pictures = source.queue.pictures.makeAsyncIterator()
            sound = source.queue.sound.makeAsyncIterator()
            switch source.format {
            case .y4m(let rate):
                y4m = Y4MCanvasWriter(sink: sink, rate: rate)
                wav = nil
            case .wav:
                y4m = nil
                wav = WAVCanvasWriter(sink: sink)
            }
        }

        deinit { source.tap.close() }

        package func next(isolation actor: isolated (any Actor)?) async throws(ContainerError) -> [UInt8]? {
            while true {
                if let y4m {
                    guard let picture = await pictures.next(isolation: actor) else { return nil }
                    try y4m.write(picture)
                } else if let wav {
                    guard let block = await sound.next(isolation: actor) else { return nil }
                    try wav.write(block)
                }
                if let bytes = sink.take() { return bytes }
            }
        }

        package func next() async throws -> [UInt8]? { try await next(isolation: nil) }
    }
}
