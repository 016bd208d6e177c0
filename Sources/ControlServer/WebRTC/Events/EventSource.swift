import MediaEngine
import NIOConcurrencyHelpers

/// Event source of a WHEP resource. Its queue holds at most one event of each kind, so a client that reads slowly gets the newest state of
/// each.
final class EventSource: Sendable {
    /// Kind of a queued event.
    private enum Topic: Int, CaseIterable, Sendable {
        case activity
        case layers
        case subscribers
    }

    private struct State {
        /// Nil until the stream's state is known.
        var stream: StreamState?
        var queue: Set<Topic> = []
        /// Whether a comment is due, which shows whether the client is still connected.
        var isBeatDue = false
        var reader: AsyncStream<Void>.Continuation?
        var isEnded = false
    }

    /// Unguessable id. It is the only secret of a client that reads the source, because browsers set no header fields for event sources.
    let id = Secret.id()
    /// Name of the session in the media engine.
    let session: String
    let stream: String
    /// Transport of the resource.
    let transport: TransportID
    private let wanted: Set<ResourceEvent>
    /// Index of the video's media section in the resource's SDP.
    private let section: Int
    private let state = NIOLockedValueBox(State())

    init(session: String, stream: String, transport: TransportID, wanted: Set<ResourceEvent>, section: Int) {
        self.session = session
        self.stream = stream
        self.transport = transport
        self.wanted = wanted
        self.section = section
    }

    /// Stores the stream's state, and queues events for its changes.
    func update(_ new: StreamState) {
        let reader = state.withLockedValue { state -> AsyncStream<Void>.Continuation? in
            var new = new
            guard let before = state.stream else {
                state.stream = new
                state.queue = Set(Topic.allCases)
                return state.reader
            }
            // The subscribers of a stream that is not published still wait for it.
            if !new.isActive { new.subscribers = before.subscribers }
            if new.isActive != before.isActive { state.queue.insert(.activity) }
            if new.subscribers != before.subscribers { state.queue.insert(.subscribers) }
            if new.hasSameLayers(as: before), !state.queue.contains(.layers) {
                new.encodings = before.encodings
            } else {
                state.queue.insert(.layers)
            }
            state.stream = new
            return state.queue.isEmpty ? nil : state.reader
        }
        reader?.yield()
    }

    /// Queues a comment.
    func beat() {
        let reader = state.withLockedValue { state in
            state.isBeatDue = state.reader != nil
            return state.reader
        }
        reader?.yield()
    }

    /// Starts to read with the whole state, in place of an earlier reader.
    /// - Returns: sequence with an element whenever `take` has text; it ends with the source, or when another reader starts. Nil if the
    ///   source has ended.
    func read() -> AsyncStream<Void>? {
        // A single pending element is enough.
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let (isOpen, earlier) = state.withLockedValue { state -> (Bool, AsyncStream<Void>.Continuation?) in
            guard !state.isEnded else { return (false, nil) }
            let earlier = state.reader
            state.reader = continuation
            state.queue = Set(Topic.allCases)
            return (true, earlier)
        }
        earlier?.finish()
        guard isOpen else { return nil }
        continuation.yield()
        return stream
    }

    /// Takes the queued events, as text of an event stream (HTML standard, section 9.2.5). Empty if the client asked for none of them.
    func take() -> String {
        state.withLockedValue { state in
            guard let stream = state.stream else { return "" }
            var text = ""
            for topic in Topic.allCases where state.queue.contains(topic) {
                let (event, data) =
                    switch topic {
                    case .activity: (stream.isActive ? ResourceEvent.active : .inactive, "{}")
                    case .layers: (ResourceEvent.layers, stream.layers(of: section))
                    case .subscribers: (ResourceEvent.viewercount, "{\"viewercount\":\(stream.subscribers)}")
                    }
                if wanted.contains(event) { text += "event: \(event.rawValue)\ndata: \(data)\n\n" }
            }
            state.queue = []
            if text.isEmpty, state.isBeatDue { text = ":\n\n" }
            state.isBeatDue = false
            return text
        }
    }

    func end() {
        let reader = state.withLockedValue { state in
            state.isEnded = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.finish()
    }
}
