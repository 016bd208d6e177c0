import Conference
package import MediaBase

/// Schedule of webhook events, without the sending. Events of one session are sent one after another, in order; those of different sessions
/// in parallel. A failed event is retried with growing pauses, and delays only its own session.
///
/// Apps share the queue fairly: the app with the fewest requests in progress is next, the last free request is reserved for an app without
/// one, and a full queue makes room for an app that has less than its share.
package struct WebhookQueue: Sendable {
    package struct Limits: Sendable {
        /// Maximum number of events that wait or are being sent.
        package var events = 10_000
        /// Maximum number of requests at a time.
        package var requests = 8
        /// Pause before the first retry; doubles with each further one.
        package var firstPause = MediaTime.seconds(1)
        package var longestPause = MediaTime.seconds(60)
        /// Maximum time from the event to the last try.
        package var patience = MediaTime.seconds(3_600)

        package init() {}
    }

    package struct Delivery: Sendable, Equatable {
        /// Number of the event, the same in all its tries. Numbers increase by 1 with each event, across sessions.
        package let number: UInt64
        package let event: WebhookEvent
        /// Number of the try, from 1.
        package let attempt: Int
    }

    package enum Outcome: Sendable {
        case delivered
        /// A retry may succeed.
        case failed
        /// A retry is useless: the receiver does not accept this event.
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
        /// Time before which the next try must not begin; valid while no event is being sent.
        var notBefore = MediaTime.zero

        /// Number of entries that may be removed: one that is being sent stays.
        var removable: Int { entries.count - (isSending ? 1 : 0) }
    }

    /// Entries of one app in the queue.
    private struct Share {
        /// Sessions with queued events, in the order in which they take turns.
        var order: [SessionKey] = []
        var waiting = 0
        var sending = 0
        /// Turn in which the app was added or last served.
        var lastTurn: UInt64
    }

    package var limits: Limits
    private var lanes: [SessionKey: Lane] = [:]
    private var shares: [String: Share] = [:]
    private var turns: UInt64 = 0
    /// Number of the last event. A receiver detects missing events by gaps in the numbers.
    private var lastNumber: UInt64 = 0
    private var sending = 0

    package private(set) var waiting = 0
    /// Events dropped because of `Limits.events`.
    package private(set) var dropped: UInt64 = 0
    package private(set) var delivered: UInt64 = 0
    /// Events refused by the receiver.
    package private(set) var refused: UInt64 = 0
    /// Events given up after `Limits.patience`.
    package private(set) var expired: UInt64 = 0
    package private(set) var retries: UInt64 = 0

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// - Returns: false if the queue is full; the receiver then sees a gap in the numbers.
    @discardableResult
    package mutating func add(_ event: WebhookEvent, now: MediaTime) -> Bool {
        let address = event.session
        lastNumber += 1
        guard waiting < limits.events || makeSpace(for: address.app) else {
            dropped += 1
            return false
        }
        waiting += 1
        if shares[address.app] == nil {
            turns += 1
            shares[address.app] = Share(lastTurn: turns)
        }
        shares[address.app]?.waiting += 1
        if lanes[address] == nil {
            lanes[address] = Lane()
            shares[address.app]?.order.append(address)
        }
        lanes[address]?.entries.append(.init(number: lastNumber, event: event, addedAt: now))
        return true
    }

    /// Removes the newest event of the app with the most events, if this app has less than its share.
    private mutating func makeSpace(for app: String) -> Bool {
        let apps = shares.count + (shares[app] == nil ? 1 : 0)
        guard (shares[app]?.waiting ?? 0) < limits.events / apps,
            let largest = shares.max(by: { $0.value.waiting < $1.value.waiting })?.value,
            let address = largest.order.max(by: { (lanes[$0]?.removable ?? 0) < (lanes[$1]?.removable ?? 0) }),
            var lane = lanes[address], lane.removable > 0
        else { return false }
        lane.entries.removeLast()
        dropped += 1
        forgetEntry(of: address.app)
        keep(lane, address)
        return true
    }

    /// Returns the delivery to make now. After nil there is none until a delivery finishes or `deadline` is reached.
    package mutating func next(now: MediaTime) -> Delivery? {
        var best: (address: SessionKey, share: Share)?
        for share in shares.values where mayBegin(share) {
            if let best, (best.share.sending, best.share.lastTurn) < (share.sending, share.lastTurn) { continue }
            let ready = share.order.first { lanes[$0].map { !$0.isSending && $0.notBefore <= now } ?? false }
            if let ready { best = (ready, share) }
        }
        guard let address = best?.address, var lane = lanes[address], let entry = lane.entries.first else { return nil }
        lane.isSending = true
        lane.attempts += 1
        lanes[address] = lane
        sending += 1
        turns += 1
        shares[address.app]?.sending += 1
        shares[address.app]?.lastTurn = turns
        if lane.attempts > 1 { retries += 1 }
        return Delivery(number: entry.number, event: entry.event, attempt: lane.attempts)
    }

    private func mayBegin(_ share: Share) -> Bool {
        sending < limits.requests - 1 || sending < limits.requests && share.sending == 0
    }

    /// Records the outcome of a delivery that `next` returned.
    package mutating func finished(_ delivery: Delivery, _ outcome: Outcome, now: MediaTime) {
        let address = delivery.event.session
        guard var lane = lanes[address], lane.isSending, let entry = lane.entries.first, entry.number == delivery.number
        else { return }
        lane.isSending = false
        sending -= 1
        shares[address.app]?.sending -= 1
        switch outcome {
        case .delivered:
            delivered += 1
            remove(first: &lane, of: address.app)
        case .refused:
            refused += 1
            remove(first: &lane, of: address.app)
        case .failed:
            let pause = Backoff(first: limits.firstPause, longest: limits.longestPause)
                .delay(failures: lane.attempts)
            if now + pause > entry.addedAt + limits.patience {
                expired += 1
                remove(first: &lane, of: address.app)
            } else {
                lane.notBefore = now + pause
            }
        }
        // The session goes behind the others, so that each has its turn.
        shares[address.app]?.order.removeAll { $0 == address }
        shares[address.app]?.order.append(address)
        keep(lane, address)
    }

    /// Time at which `next` can return another delivery; `.never` if it depends on more than time.
    package var deadline: MediaTime {
        var deadline = MediaTime.never
        for share in shares.values where mayBegin(share) {
            for address in share.order {
                if let lane = lanes[address], !lane.isSending { deadline = min(deadline, lane.notBefore) }
            }
        }
        return deadline
    }

    package var isEmpty: Bool { waiting == 0 }

    private mutating func remove(first lane: inout Lane, of app: String) {
        lane.entries.removeFirst()
        lane.attempts = 0
        lane.notBefore = .zero
        forgetEntry(of: app)
    }

    private mutating func forgetEntry(of app: String) {
        waiting -= 1
        shares[app]?.waiting -= 1
    }

    /// Stores a lane; removes an empty one, and its app with its last lane.
    private mutating func keep(_ lane: Lane, _ address: SessionKey) {
        guard lane.entries.isEmpty else {
            lanes[address] = lane
            return
        }
        lanes[address] = nil
        shares[address.app]?.order.removeAll { $0 == address }
        if shares[address.app]?.order.isEmpty == true { shares[address.app] = nil }
    }
}
