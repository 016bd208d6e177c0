package import MediaBase

/// Which webhook event is sent when: the rules without the sending. Events of one session go out one after another, in order; those
/// of different sessions beside each other. What fails is tried again with growing pauses, and holds up its own session alone.
package struct WebhookQueue: Sendable {
    package struct Limits: Sendable {
        /// Events that wait or are being sent.
        package var events = 10_000
        /// Requests at a time.
        package var requests = 8
        /// Before the first try again; doubles with each further one.
        package var firstPause = MediaTime.seconds(1)
        package var longestPause = MediaTime.seconds(60)
        /// From the event to the last try.
        package var patience = MediaTime.seconds(3_600)

        package init() {}
    }

    package struct Delivery: Sendable, Equatable {
        /// Of the event, the same in all its tries: one more than that of the event before, whatever the session.
        package let number: UInt64
        package let event: WebhookEvent
        /// 1: the first.
        package let attempt: Int
    }

    package enum Outcome: Sendable {
        case delivered
        /// It may go better later.
        case failed
        /// It will not go better: the receiver does not want this event.
        case refused
    }

    /// Events of one session, oldest first.
    private struct Lane {
        struct Entry {
            let number: UInt64
            let event: WebhookEvent
            let addedAt: MediaTime
        }
        var entries: [Entry] = []
        var attempts = 0
        var isSending = false
        /// Not before this; while nothing is being sent.
        var notBefore = MediaTime.zero
    }

    private let limits: Limits
    private var lanes: [SessionAddress: Lane] = [:]
    /// Lanes with something to send, in the order in which they got it.
    private var order: [SessionAddress] = []
    /// Of the last event, so that a receiver sees what is missing.
    private var lastNumber: UInt64 = 0
    private var sending = 0

    package private(set) var waiting = 0
    /// Thrown away for `Limits.events`.
    package private(set) var dropped: UInt64 = 0
    package private(set) var delivered: UInt64 = 0
    /// Refused by the receiver.
    package private(set) var refused: UInt64 = 0
    /// Given up after `Limits.patience`.
    package private(set) var expired: UInt64 = 0
    package private(set) var retries: UInt64 = 0

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// - Returns: false where the queue is full; the event's number is then missing for its receiver.
    @discardableResult
    package mutating func add(_ event: WebhookEvent, now: MediaTime) -> Bool {
        let address = event.session
        lastNumber += 1
        guard waiting < limits.events else {
            dropped += 1
            return false
        }
        waiting += 1
        if lanes[address] == nil {
            lanes[address] = Lane()
            order.append(address)
        }
        lanes[address]?.entries.append(.init(number: lastNumber, event: event, addedAt: now))
        return true
    }

    /// What is to be sent now; nil: nothing more until something is finished or `deadline` is there.
    package mutating func next(now: MediaTime) -> Delivery? {
        guard sending < limits.requests else { return nil }
        for address in order {
            guard var lane = lanes[address], !lane.isSending, lane.notBefore <= now, let entry = lane.entries.first
            else { continue }
            lane.isSending = true
            lane.attempts += 1
            lanes[address] = lane
            sending += 1
            if lane.attempts > 1 { retries += 1 }
            return Delivery(number: entry.number, event: entry.event, attempt: lane.attempts)
        }
        return nil
    }

    /// How a delivery went that `next` gave.
    package mutating func finished(_ delivery: Delivery, _ outcome: Outcome, now: MediaTime) {
        let address = delivery.event.session
        guard var lane = lanes[address], lane.isSending, let entry = lane.entries.first, entry.number == delivery.number
        else { return }
        lane.isSending = false
        sending -= 1
        switch outcome {
        case .delivered:
            delivered += 1
            remove(first: &lane)
        case .refused:
            refused += 1
            remove(first: &lane)
        case .failed:
            let pause = self.pause(after: lane.attempts)
            if now + pause > entry.addedAt + limits.patience {
                expired += 1
                remove(first: &lane)
            } else {
                lane.notBefore = now + pause
            }
        }
        order.removeAll { $0 == address }
        if lane.entries.isEmpty {
            lanes[address] = nil
        } else {
            lanes[address] = lane
            // Behind the others, so that each session has its turn.
            order.append(address)
        }
    }

    /// When `next` has something again by time alone; `.never` while it hangs on something else.
    package var deadline: MediaTime {
        guard sending < limits.requests else { return .never }
        return lanes.values.filter { !$0.isSending }.map(\.notBefore).min() ?? .never
    }

    package var isEmpty: Bool { waiting == 0 }

    private mutating func remove(first lane: inout Lane) {
        lane.entries.removeFirst()
        lane.attempts = 0
        lane.notBefore = .zero
        waiting -= 1
    }

    private func pause(after attempts: Int) -> MediaTime {
        var pause = limits.firstPause
        for _ in 1..<max(attempts, 1) where pause < limits.longestPause { pause = pause + pause }
        return min(pause, limits.longestPause)
    }
}
