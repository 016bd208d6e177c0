import MediaBase
import SessionMedia
import Signaling

/// Take-over of a session from its lost home relay. No client enters the session before the media that continues is known, and is as the rules of
/// the session want it: a client could otherwise mute or leave participants whose media this relay does not know yet.
struct SessionTakeOver {
    /// Time after which clients enter in any case, so that no relay with wrong answers keeps them out. It is longer than a link can last
    /// without an answer (`ClusterMedia.callTime`), and its relay then keeps the media (`MediaTakeOver.time`).
    static let maximumTime = MediaTime.seconds(30)
    /// Time between looks whether relays that do not answer have ended.
    private static let lookInterval = MediaTime.milliseconds(500)

    private(set) var isUnderWay: Bool
    /// Whether everything is known, and the last mutes are under way.
    var isSettling = false
    /// Newest order before the first one of the take-over.
    private(set) var ticket = MediaTicket(rawValue: 0)
    private var waiting: [() -> Void] = []
    /// Clients with adopted subscribe peer connections. The rules do not know their subscriptions yet, because these need the streams of all relays.
    private var subscribers: [(client: ConnectionID, known: MediaInventory.Subscriber)] = []
    private var end = MediaTime.never
    /// Time of the next look.
    private(set) var deadline = MediaTime.never

    init(isUnderWay: Bool) { self.isUnderWay = isUnderWay }

    mutating func begin(after ticket: MediaTicket, now: MediaTime) {
        self.ticket = ticket
        end = now + Self.maximumTime
        deadline = now + Self.lookInterval
    }

    /// Returns whether a look is due, and plans the next one.
    mutating func isLookDue(now: MediaTime) -> Bool {
        guard deadline <= now else { return false }
        deadline = now + Self.lookInterval
        return true
    }

    func isTooLong(now: MediaTime) -> Bool { end <= now }

    mutating func add(_ subscriber: MediaInventory.Subscriber, of client: ConnectionID) {
        subscribers.append((client, subscriber))
    }

    mutating func takeSubscribers() -> [(client: ConnectionID, known: MediaInventory.Subscriber)] {
        defer { subscribers = [] }
        return subscribers
    }

    /// Calls `then` at the end of the take-over.
    mutating func wait(_ then: @escaping () -> Void) { waiting.append(then) }

    /// - Returns: what waits for the end.
    mutating func finish() -> [() -> Void] {
        isUnderWay = false
        deadline = .never
        defer { waiting = [] }
        return waiting
    }
}
