import DequeModule
package import Signaling

/// The events of one connection: numbered, queued for its writer, and kept for a while in case the client comes back (CON-3).
///
/// `Payload` is the event without its number, as the writer will put it on the wire.
package struct Outbox<Payload: Sendable>: Sendable {
    package struct Item: Sendable {
        package let seq: UInt64
        package let payload: Payload
        let bytes: Int
    }

    /// The client does not read as fast as events come. Nothing was queued; the connection is to be closed as a slow consumer.
    package struct Overflow: Error {}

    package let limits: OutboxLimits
    private var items = Deque<Item>()
    /// Of the newest event; 0 before the first.
    package private(set) var lastSeq: UInt64 = 0
    /// Of those in `items` the first that is not handed to the writer.
    private var cursor = 0
    private var sentBytes = 0
    /// Bytes of the events that no writer has taken yet.
    package private(set) var unsentBytes = 0
    /// A client is there to write to.
    package private(set) var isAttached = true

    package init(limits: OutboxLimits = OutboxLimits()) { self.limits = limits }

    package var unsentCount: Int { items.count - cursor }
    package var keptCount: Int { items.count }
    package var keptBytes: Int { sentBytes + unsentBytes }

    /// - Parameter bytes: size of the payload.
    /// - Throws: `Overflow`, never while the client is away: then the oldest events are forgotten.
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

    /// The next event for the writer; nil: it waits, or nobody is there.
    package mutating func next() -> Item? {
        guard isAttached, cursor < items.count else { return nil }
        let item = items[cursor]
        cursor += 1
        unsentBytes -= item.bytes
        sentBytes += item.bytes
        trim()
        return item
    }

    /// The client is lost.
    package mutating func detach() {
        isAttached = false
        trim()
    }

    /// The client is back; from the event after `lastEvent` on all go out again.
    /// - Returns: how many events follow that it has missed.
    /// - Throws: `resumeGap` where some of them are no longer there; `invalidField` for an event that never was. Nothing changes then.
    package mutating func resume(lastEvent: UInt64) throws(SignalingError) -> Int {
        guard lastEvent <= lastSeq else {
            throw SignalingError(.invalidField, "there was no such event", field: "lastEvent")
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

    /// Forgets the oldest events past what is kept for a replay. Unsent ones stay for a client that is there.
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
