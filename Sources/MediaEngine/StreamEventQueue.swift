import DequeModule
import MediaBase

/// Bounded queue of the events that one reader has not taken yet. Once it is half full, an event that reports a state replaces the queued
/// event of the same state and moves to the end. Once it is full, one `missed` event replaces all events of a session, and the reader has
/// to query the session's state. No event is dropped without such a notice.
package struct StreamEventQueue: Sendable {
    package static let standardCapacity = 4_096

    /// State that an event reports. Only the newest event of each subject matters.
    private enum Subject: Hashable {
        case pause(TransportID, Stream, MediaKind)
        case codec(TransportID, Stream)
        case dimensions(Stream)
        case speaker(session: String, subsession: String)
        case piped(session: String)
    }

    private struct Stream: Hashable {
        let session: String
        let name: String
    }

    private let capacity: Int
    /// Queued events; nil for a replaced or removed one. `slots[0]` has the number `first`.
    private var slots: Deque<StreamEvent?> = []
    /// Number of `slots[0]`.
    private var first = 0
    /// Number of the queued event of each subject.
    private var numbers: [Subject: Int] = [:]
    /// Number of the newest queued event by which a stream, or a kind of its media, begins or ends. Events
    /// before it concern an earlier stream of the same name.
    private var lives: [Stream: Int] = [:]
    /// Sessions for which a `missed` event is queued.
    private var missing: Set<String> = []
    private var isAllMissing = false

    package private(set) var count = 0
    /// Events that were dropped and will not reach the reader.
    package private(set) var missed: UInt64 = 0

    /// - Parameter capacity: events in the queue. At most as many sessions can have a `missed` event of
    ///   their own; beyond that, one event covers all sessions.
    package init(capacity: Int = standardCapacity) {
        self.capacity = max(capacity, 1)
    }

    package var isEmpty: Bool { count == 0 }

    package mutating func push(_ event: StreamEvent) {
        if isAllMissing { return noteMissed(event) }
        if let session = event.session, missing.contains(session) { return noteMissed(event) }
        if count * 2 >= capacity, let (subject, stream) = Self.subject(of: event), let number = numbers[subject],
            stream.flatMap({ lives[$0] }) ?? -1 < number
        {
            slots[number - first] = nil
            count -= 1
            append(event)
            closeGaps()
            return
        }
        guard count < capacity else { return overflow(event) }
        append(event)
    }

    package mutating func pop() -> StreamEvent? {
        while let event = slots.popFirst() {
            let number = first
            first += 1
            guard let event else { continue }
            count -= 1
            forget(event, at: number)
            return event
        }
        return nil
    }

    /// Drops all queued events of a reader that has ended, without counting them as missed.
    package mutating func removeAll() {
        var emptied = StreamEventQueue(capacity: capacity)
        emptied.missed = missed
        self = emptied
    }

    private mutating func append(_ event: StreamEvent) {
        let number = first + slots.count
        slots.append(event)
        count += 1
        if let (subject, _) = Self.subject(of: event) { numbers[subject] = number }
        switch event {
        case .published(let session, _, let name), .closed(let session, _, let name),
            .mediaBegan(let session, _, let name, _):
            lives[Stream(session: session, name: name)] = number
        case .missed(let session):
            if let session { missing.insert(session) } else { isAllMissing = true }
        default: break
        }
    }

    private mutating func forget(_ event: StreamEvent, at number: Int) {
        if let (subject, _) = Self.subject(of: event), numbers[subject] == number { numbers[subject] = nil }
        switch event {
        case .published(let session, _, let name), .closed(let session, _, let name),
            .mediaBegan(let session, _, let name, _):
            let stream = Stream(session: session, name: name)
            if lives[stream] == number { lives[stream] = nil }
        case .missed(let session):
            if let session { missing.remove(session) } else { isAllMissing = false }
        default: break
        }
    }

    /// Removes the empty slots of replaced events before they outnumber the queued events.
    private mutating func closeGaps() {
        guard slots.count > 2 * count + 64 else { return }
        var kept = StreamEventQueue(capacity: capacity)
        for case let waiting? in slots { kept.append(waiting) }
        kept.missed = missed
        self = kept
    }

    private mutating func noteMissed(_ event: StreamEvent) {
        if case .missed = event { return }
        missed += 1
    }

    private mutating func overflow(_ event: StreamEvent) {
        guard let session = event.session, missing.count < capacity else { return missAll(event) }
        noteMissed(event)
        var kept = StreamEventQueue(capacity: capacity)
        for waiting in slots {
            guard let waiting else { continue }
            if waiting.session == session { noteMissed(waiting) } else { kept.append(waiting) }
        }
        kept.append(.missed(session: session))
        kept.missed = missed
        self = kept
    }

    private mutating func missAll(_ event: StreamEvent) {
        noteMissed(event)
        for waiting in slots { if let waiting { noteMissed(waiting) } }
        var kept = StreamEventQueue(capacity: capacity)
        kept.append(.missed(session: nil))
        kept.missed = missed
        self = kept
    }

    private static func subject(of event: StreamEvent) -> (Subject, Stream?)? {
        switch event {
        case .trackPaused(let session, let transport, let name, let kind),
            .trackResumed(let session, let transport, let name, let kind):
            let stream = Stream(session: session, name: name)
            return (.pause(transport, stream, kind), stream)
        case .unsupportedCodec(let session, let transport, let name, _),
            .supportedCodec(let session, let transport, let name):
            let stream = Stream(session: session, name: name)
            return (.codec(transport, stream), stream)
        case .dimensions(let session, _, let name, _, _):
            let stream = Stream(session: session, name: name)
            return (.dimensions(stream), stream)
        case .activeSpeaker(let session, let subsession, _):
            return (.speaker(session: session, subsession: subsession), nil)
        case .pipedStreamsChanged(let session): return (.piped(session: session), nil)
        case .published, .closed, .mediaBegan, .framesReordered, .peerGone, .noMediaPath, .mirrored, .missed: return nil
        }
    }
}
