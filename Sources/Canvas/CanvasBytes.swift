package import Containers
import MediaBase

/// Raw media of a tap as the bytes of a file without an end, for an HTTP response. Bytes are made in chunks on request:
/// a slow reader loses whole frames or blocks, never parts of them, and a gap is filled at the reader's pace. For a
/// single reader; the tap ends with the sequence.
package struct CanvasBytes: AsyncSequence, Sendable {
    package enum Format: Sendable {
        /// YUV4MPEG2 with the given frame rate.
        case y4m(rate: Int)
        /// WAVE, 48 kHz stereo.
        case wav
    }

    package typealias Element = [UInt8]
    package typealias Failure = ContainerError

    package let tap: CanvasTap
    package let queue: CanvasQueue
    package let format: Format

    /// - Parameter queue: consumer that `tap` was opened with.
    package init(tap: CanvasTap, queue: CanvasQueue, format: Format) {
        self.tap = tap
        self.queue = queue
        self.format = format
    }

    /// Waits for the first frame, at most `CanvasOptions.beginLimit`: the publisher of a muted stream sends none. Returns at once for audio.
    /// - Throws: `codecNotDecodable` or `undecodable` if the video cannot be decoded. The tap has then ended.
    package func begun() async throws(CanvasError) {
        guard case .y4m = format else { return }
        await tap.begun()
        guard tap.statistics.decodedFrames == 0, let refusal = tap.refusal else { return }
        tap.close()
        throw refusal
    }

    package func makeAsyncIterator() -> Iterator { Iterator(self) }

    package final class Iterator: AsyncIteratorProtocol {
        /// Keeps the tap alive while it is read.
        private var source: CanvasBytes
        private let sink = MemoryPipe()
        private var frames: AsyncStream<I420Frame>.Iterator
        private var audio: AsyncStream<PCMBlock>.Iterator
        private var y4m: Y4MChunks?
        private let wav: WAVCanvasWriter?
        /// Elements of the queue that were dropped and have been reported.
        private var reportedDrops: UInt64 = 0

        init(_ source: CanvasBytes) {
            self.source = source
            frames = source.queue.frames.makeAsyncIterator()
            audio = source.queue.audio.makeAsyncIterator()
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

        /// Continues the same file with another stream, at the size and position reached.
        /// - Precondition: `next` has returned nil, and `following` has the same format.
        package func go(on following: CanvasBytes) {
            source.tap.close()
            source = following
            reportedDrops = 0
            frames = following.queue.frames.makeAsyncIterator()
            audio = following.queue.audio.makeAsyncIterator()
        }

        /// Bytes of raw frames and audio that are held for the reader, except those in the queue.
        package var heldBytes: Int { (y4m?.heldBytes ?? 0) + sink.count }

        /// Returns the number of frames and blocks that the reader missed since the last call, because it was slow.
        package func takeDrops() -> UInt64 {
            let total = source.queue.droppedFrames &+ source.queue.droppedAudioBlocks
            defer { reportedDrops = total }
            return total &- reportedDrops
        }

        package func next(isolation actor: isolated (any Actor)?) async throws(ContainerError) -> [UInt8]? {
            while true {
                // After the tap is closed, gaps are not filled, so that the response can end.
                if source.tap.isClosed {
                    y4m?.discard()
                    wav?.discard()
                }
                if y4m != nil {
                    if let bytes = y4m?.nextChunk() { return bytes }
                    guard let frame = await frames.next(isolation: actor) else { return nil }
                    y4m?.begin(frame)
                } else if let wav {
                    while try wav.step() {
                        if let bytes = sink.take() { return bytes }
                    }
                    guard let block = await audio.next(isolation: actor) else { return nil }
                    try wav.begin(block)
                }
            }
        }

        package func next() async throws -> [UInt8]? { try await next(isolation: nil) }
    }
}
