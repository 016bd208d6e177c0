import NIOCore

/// Input of a channel on its way to an async sequence: stops reading from the channel while the sequence's reader is behind.
///
/// The handler that owns it passes on `read` only if `allowsRead` returns true, and handles the `FlowEvent`s of the sequence's reader.
struct InboundFlow<Element: Sendable> {
    typealias Producer = NIOThrowingAsyncSequenceProducer<
        Element, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, FlowDelegate
    >

    private let source: Producer.Source
    /// Whether the reader is behind.
    private(set) var isPaused = false
    private var isReadWithheld = false
    private var isFinished = false
    /// Whether the channel closes, and must read on for the peer's answer.
    private var isUnlimited = false

    private init(_ source: Producer.Source) { self.source = source }

    /// Creates a flow and its sequence, whose end of use closes the channel.
    /// - Parameters:
    ///   - low: queued elements at which reading goes on.
    ///   - high: queued elements at which reading stops.
    static func make(_ channel: any Channel, low: Int, high: Int) -> (InboundFlow, LinkSequence<Element>) {
        let made = Producer.makeSequence(
            backPressureStrategy: .init(lowWatermark: low, highWatermark: high), finishOnDeinit: true,
            delegate: FlowDelegate(channel))
        return (InboundFlow(made.source), LinkSequence(made.sequence))
    }

    /// Queues an element for the reader.
    mutating func yield(_ element: Element) {
        guard !isFinished else { return }
        switch source.yield(element) {
        case .produceMore, .dropped: break
        case .stopProducing: isPaused = !isUnlimited
        }
    }

    /// Ends the sequence after its queued elements. Later calls have no effect.
    mutating func finish(_ error: LinkError? = nil) {
        guard !isFinished else { return }
        isFinished = true
        if let error { source.finish(error) } else { source.finish() }
    }

    /// Returns whether the channel may read now; false: `resume` returns true later.
    mutating func allowsRead() -> Bool {
        isReadWithheld = isPaused
        return !isPaused
    }

    /// Reads on whatever the reader does.
    /// - Returns: whether a withheld read goes out now.
    mutating func stopPausing() -> Bool {
        isUnlimited = true
        return resume()
    }

    /// Goes on after `FlowEvent.resume`.
    /// - Returns: whether a withheld read goes out now.
    mutating func resume() -> Bool {
        isPaused = false
        defer { isReadWithheld = false }
        return isReadWithheld
    }
}
