package import Containers
package import MediaBase

/// Writes audio as WAVE, 48 kHz stereo. Blocks are placed by capture time: gaps become silence, and overlaps are
/// dropped.
///
/// Silence is written in pieces of at most a second: `write` writes all of them; with `begin` and `step`, the reader of
/// a live response takes one at a time.
package final class WAVCanvasWriter: CanvasConsumer {
    private let sink: any ByteSink
    private var writer: WAVWriter?
    private var first: MediaTime = .zero
    /// Samples per channel of silence to write before `rest`.
    private var silence: Int64 = 0
    private var rest: [Int16] = []
    /// Error of the sink, which ends the tap.
    package private(set) var failure: ContainerError?

    /// Maximum difference of a block from its position in samples per channel, for clock rounding.
    static let tolerance: Int64 = 480
    /// Longest pause that is filled, in samples per channel: 10 minutes. After a longer one, the audio follows at once.
    static let maximumFill = Int64(600 * PCMBlock.sampleRate)

    package init(sink: any ByteSink) { self.sink = sink }

    package func take(_ frame: I420Frame) -> Bool { failure == nil }

    package func take(_ block: PCMBlock) -> Bool {
        guard failure == nil else { return false }
        do throws(ContainerError) { try write(block) } catch { failure = error }
        return failure == nil
    }

    package func finish() {
        do throws(ContainerError) {
            if let writer { try writer.finish() } else { try sink.close() }
        } catch { failure = failure ?? error }
    }

    package func write(_ block: PCMBlock) throws(ContainerError) {
        try begin(block)
        while try step() {}
    }

    /// Takes the next block; `step` then writes it with the silence before it.
    /// - Precondition: `step` has returned false since the previous block.
    package func begin(_ block: PCMBlock) throws(ContainerError) {
        precondition(silence == 0 && rest.isEmpty)
        guard let writer else {
            writer = try WAVWriter(sink: sink)
            first = block.captureTime
            rest = block.samples
            return
        }
        let offset = block.captureTime - first
        let position = Int64((offset.seconds * Double(PCMBlock.sampleRate)).rounded())
        let gap = position - writer.frameCount
        if gap > Self.maximumFill || gap < -Int64(PCMBlock.sampleRate) {
            first = block.captureTime - Self.duration(of: writer.frameCount)
        } else if gap > Self.tolerance {
            silence = gap
        } else if gap < -Self.tolerance {
            let overlap = Int(-gap)
            guard overlap < block.frameCount else { return }
            rest = Array(block.samples[(overlap * block.channels)...])
            return
        }
        rest = block.samples
    }

    /// Writes up to a second of the audio that `begin` took.
    /// - Returns: false if nothing is left to write.
    package func step() throws(ContainerError) -> Bool {
        guard let writer else { return false }
        if silence > 0 {
            let count = min(silence, Int64(PCMBlock.sampleRate))
            silence -= count
            try put([Int16](repeating: 0, count: Int(count) * 2), writer)
            return true
        }
        guard !rest.isEmpty else { return false }
        let samples = rest
        rest = []
        try put(samples, writer)
        return true
    }

    /// Discards the audio that `begin` took and `step` has not written.
    package func discard() {
        silence = 0
        rest = []
    }

    private func put(_ samples: [Int16], _ writer: WAVWriter) throws(ContainerError) {
        try writer.write(samples: samples)
        try writer.flush()
    }

    private static func duration(of frames: Int64) -> MediaTime {
        let (seconds, rest) = frames.quotientAndRemainder(dividingBy: Int64(PCMBlock.sampleRate))
        return .nanoseconds(seconds * 1_000_000_000 + rest * 1_000_000_000 / Int64(PCMBlock.sampleRate))
    }
}
