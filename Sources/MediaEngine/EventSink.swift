/// Where workers say that streams come and go. The newest are kept when nobody reads.
final class EventSink: Sendable {
    let stream: AsyncStream<StreamEvent>
    private let continuation: AsyncStream<StreamEvent>.Continuation
    static let capacity = 4096

    init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.capacity))
    }

    func send(_ event: StreamEvent) { continuation.yield(event) }
    func finish() { continuation.finish() }
}
