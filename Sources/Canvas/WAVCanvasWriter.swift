package import Containers
package import MediaBase

/// Sound as WAVE, 48 kHz stereo. A block stands at its capture time: where blocks are missing there is silence, and
/// what overlaps is left out.
package final class WAVCanvasWriter: CanvasConsumer {
    private let sink: any ByteSink
    private var writer: WAVWriter?
    private var first: MediaTime = .zero
    /// What the sink refused; the tap ends with it.
    package private(set) var failure: ContainerError?

    /// Samples a channel by which a block may lie beside its place: the rounding of clocks.
    static let tolerance: Int64 = 480
    /// A longer pause is not filled: the sound goes on right after it.
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
        guard let writer else {
            let writer = try WAVWriter(sink: sink)
            self.writer = writer
            first = block.captureTime
            try put(block.samples, writer)
            return
        }
        let offset = block.captureTime - first
        let place = Int64((offset.seconds * Double(PCMBlock.sampleRate)).rounded())
        let gap = place - writer.frameCount
        if gap > Self.maximumFill || gap < -Int64(PCMBlock.sampleRate) {
            first = block.captureTime - Self.duration(of: writer.frameCount)
        } else if gap > Self.tolerance {
            var missing = gap
            while missing > 0 {
                let count = min(missing, Int64(PCMBlock.sampleRate))
                try put([Int16](repeating: 0, count: Int(count) * 2), writer)
                missing -= count
            }
        } else if gap < -Self.tolerance {
            let overlap = Int(-gap)
            guard overlap < block.frameCount else { return }
            try put(Array(block.samples[(overlap * block.channels)...]), writer)
            return
        }
        try put(block.samples, writer)
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
