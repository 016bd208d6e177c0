package import Containers
package import MediaBase

/// Audio as WAVE, 48 kHz stereo. A block stands at its capture time: gaps become silence, and overlaps are left out.
///
/// Silence is written in pieces of at most a second: `write` writes all of them, `begin` and `step` let the reader of a live body take
/// one at a time.
package final class WAVCanvasWriter: CanvasConsumer {
    private let sink: any ByteSink
    private var writer: WAVWriter?
    private var first: MediaTime = .zero
    /// Samples a channel of silence to be written before `rest`.
    private var silence: Int64 = 0
    private var rest: [Int16] = []
    /// What the sink refused; the tap ends with it.
    package private(set) var failure: ContainerError?

    /// Samples a channel by which a block may lie beside its place: the rounding of clocks.
    static let tolerance: Int64 = 480
    /// A longer pause is not filled: the audio after it follows at once. In samples a channel: 10 minutes.
    static let maximumFill = Int64(600 * PCMBlock.sampleRate)

    package init(sink: any ByteSink) { self.sink = sink }

    package func take(_ picture: I420Frame) -> Bool { failure == nil }

    package func take(_ sound: PCMBlock) -> Bool {
        guard failure == nil else { return false }
        do throws(ContainerError) { try write(sound) } catch { failure = error }
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

    /// Takes the next block, which `step` then writes together with the silence before it.
    /// - Precondition: `step` has returned false since the block before.
    package func begin(_ block: PCMBlock) throws(ContainerError) {
        precondition(silence == 0 && rest.isEmpty)
        guard let writer else {
            writer = try WAVWriter(sink: sink)
            first = block.captureTime
            rest = block.samples
            return
        }
        let offset = block.captureTime - first
        let place = Int64((offset.seconds * Double(PCMBlock.sampleRate)).rounded())
        let gap = place - writer.frameCount
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

    /// Writes up to a second of what `begin` took.
    /// - Returns: false when nothing is left to write.
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

    /// Forgets what `begin` took and `step` has not written.
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
