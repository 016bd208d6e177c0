import DequeModule
package import Signaling

/// Events of one connection: numbered, queued for its writer, and kept for a while so that a resumed client can get
/// them again (CON-3).
///
/// `Payload` is the event without its number, as the writer sends it.
package struct Outbox<Payload: Sendable>: Sendable {
    package struct Item: Sendable {
        package let seq: UInt64
        package let payload: Payload
        let bytes: Int
    }

    /// Error for a client that reads too slowly. The event was not queued; the caller closes the connection as a slow
    /// consumer.
    package struct Overflow: Error {}

    package let limits: OutboxLimits
    private var items = Deque<Item>()
    /// Number of the newest event; 0 before the first.
    package private(set) var lastSeq: UInt64 = 0
    /// Index in `items` of the first event that the writer has not taken.
    private var cursor = 0
    private var sentBytes = 0
    /// Bytes of the events that the writer has not taken.
    package private(set) var unsentBytes = 0
    /// Whether the client is connected.
    package private(set) var isAttached = true

    package init(limits: OutboxLimits = OutboxLimits()) { self.limits = limits }

    package var unsentCount: Int { items.count - cursor }
    package var keptCount: Int { items.count }
    package var keptBytes: Int { sentBytes + unsentBytes }

    /// Queues an event.
    /// - Parameter bytes: size of the payload.
    /// - Throws: `Overflow` if the client is connected; for a lost client the oldest events are dropped.
    package mutating func append(_ payload: Payload, bytes: Int) throws(Overflow) {
        let bytes = max(bytes, 0)
        if isAttached, unsentCount >= limits.unsentEvents || unsentBytes + bytes > limits.unsentBytes {
            throw Overflow()
        }
        lastSeq += 1
        items.append(Item(seq: lastSeq, payload: payload, bytes: bytes))
        unsentBytes += bytes
        trim()
    }

    /// Returns the next event for the writer; nil if there is none or the client is lost.
    package mutating func next() -> Item? {
        guard isAttached, cursor < items.count else { return nil }
        let item = items[cursor]
        cursor += 1
        unsentBytes -= item.bytes
        sentBytes += item.bytes
        trim()
        return item
    }

    /// Marks the client as lost.
    package mutating func detach() {
        isAttached = false
        trim()
    }

    /// Marks the client as connected; events after `lastEvent` are sent again.
    /// - Returns: number of events that the client has missed.
    /// - Throws: `resumeGap` if some of them were dropped, `invalidField` if `lastEvent` was never sent. Then nothing
    ///   changes.
    package mutating func resume(lastEvent: UInt64) throws(SignalingError) -> Int {
        guard lastEvent <= lastSeq else {
            throw SignalingError(.invalidField, "no event of that number was sent", field: "lastEvent")
        }
        let missed = lastSeq - lastEvent
        guard missed <= UInt64(items.count) else { throw SignalingError(.resumeGap) }
        isAttached = true
        cursor = items.count - Int(missed)
        sentBytes = 0
        unsentBytes = 0
        for (index, item) in items.enumerated() {
            if index < cursor { sentBytes += item.bytes } else { unsentBytes += item.bytes }
        }
        return Int(missed)
    }

    /// Marks the client as connected and drops all events, because the client gets the session's state instead; the next event has number 1.
    package mutating func restart() { self = Outbox(limits: limits) }

    /// Drops the oldest events beyond the replay limits. Keeps all unsent events of a connected client.
    private mutating func trim() {
        while isAttached ? cursor > limits.replayEvents || sentBytes > limits.replayBytes : isOverReplay,
            let item = items.popFirst()
        {
            if cursor > 0 {
                cursor -= 1
                sentBytes -= item.bytes
            } else {
                unsentBytes -= item.bytes
            }
        }
    }

    private var isOverReplay: Bool { items.count > limits.replayEvents || keptBytes > limits.replayBytes }
}
