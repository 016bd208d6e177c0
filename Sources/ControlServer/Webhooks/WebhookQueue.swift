import Conference
package import MediaBase

/// Which webhook event is sent when: the rules without the sending. Events of one session go out one after another, in order; those
/// of different sessions beside each other. What fails is tried again with growing pauses, and holds up its own session alone.
///
/// Apps share alike: the one with the fewest requests under way is next, the last request at a time is for an app that has none, and a
/// full queue makes room for an app that has less than its share of it.
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

        /// The one that is being sent stays.
        var removable: Int { entries.count - (isSending ? 1 : 0) }
    }

    /// What one app has in the queue.
    private struct Share {
        /// Sessions with something to send, in the order in which they take turns.
        var order: [SessionKey] = []
        var waiting = 0
        var sending = 0
        /// When it came or was last served, in turns.
        var lastTurn: UInt64
    }

    private let limits: Limits
    private var lanes: [SessionKey: Lane] = [:]
    private var shares: [String: Share] = [:]
    private var turns: UInt64 = 0
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
        guard waiting < limits.events || makeRoom(for: address.app) else {
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

    /// Throws away the newest event of the app with the most, where this one has less than its share.
    private mutating func makeRoom(for app: String) -> Bool {
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

    /// What is to be sent now; nil: nothing more until something is finished or `deadline` is there.
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

    /// How a delivery went that `next` gave.
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
            let pause = self.pause(after: lane.attempts)
            if now + pause > entry.addedAt + limits.patience {
                expired += 1
                remove(first: &lane, of: address.app)
            } else {
                lane.notBefore = now + pause
            }
        }
        // Behind the others, so that each session has its turn.
        shares[address.app]?.order.removeAll { $0 == address }
        shares[address.app]?.order.append(address)
        keep(lane, address)
    }

    /// When `next` has something again by time alone; `.never` while it hangs on something else.
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

    /// A lane as it is now; an empty one goes, and its app with its last.
    private mutating func keep(_ lane: Lane, _ address: SessionKey) {
        guard lane.entries.isEmpty else {
            lanes[address] = lane
            return
        }
        lanes[address] = nil
        shares[address.app]?.order.removeAll { $0 == address }
        if shares[address.app]?.order.isEmpty == true { shares[address.app] = nil }
    }

    private func pause(after attempts: Int) -> MediaTime {
        var pause = limits.firstPause
        for _ in 1..<max(attempts, 1) where pause < limits.longestPause { pause = pause + pause }
        return min(pause, limits.longestPause)
    }
}
