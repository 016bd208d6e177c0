import Cluster
import MediaBase
import MediaEngine

/// Take-over of a session's media from its previous home relay: relays that have not said what they have of it, ends of pipes whose other ends
/// are not known yet, and closes that have to be tried again.
struct MediaTakeOver {
    /// Pipe whose ends both relays have named.
    struct Pipe {
        let route: MediaPipe.Route
        let receiver: MediaInventory.Receiver
        let sender: PipeEnd
    }

    /// Time after which no relay has media of the previous home relay that this one does not know of (`EdgeMedia.keepTime`).
    static let time = MediaTime.seconds(15)
    /// Maximum number of receiving ends of one relay, and of sending ends. A relay has one of each for every other relay.
    static let maximumEnds = 1_024
    /// Time after which a close is tried again that the engine had no time for.
    private static let retryTime = MediaTime.milliseconds(250)

    private var end = MediaTime.never
    private var asked: Set<RelayIdentity> = []
    /// Relays that did not answer, and may have such media.
    private var silent: Set<RelayIdentity> = []
    private var receivers: [(relay: MediaRelay, receiver: MediaInventory.Receiver)] = []
    private var senders: [(relay: MediaRelay, sender: MediaInventory.Sender)] = []
    /// Numbers of the pipes whose receiving ends may still have mirrors as the previous home relay knew them.
    var pipes: Set<UInt64> = []
    /// Closes that the engines had no time for, oldest first, with the times of the next tries.
    private var retries: [(at: MediaTime, relay: MediaRelay, call: MediaCall)] = []

    /// Whether all media of the previous home relay is known, and as it should be.
    var isOver: Bool {
        asked.isEmpty && silent.isEmpty && pipes.isEmpty && receivers.isEmpty && senders.isEmpty && retries.isEmpty
    }
    /// Time of the next `handleTimeout`.
    var deadline: MediaTime { min(silent.isEmpty ? .never : end, retries.first?.at ?? .never) }

    /// - Parameter relays: relays whose answers are awaited.
    mutating func begin(awaiting relays: Set<RelayIdentity>, now: MediaTime) {
        asked = relays
        end = now + Self.time
    }

    /// Notes the ends of pipes of a relay.
    mutating func note(
        _ receivers: [MediaInventory.Receiver], _ senders: [MediaInventory.Sender], of relay: MediaRelay
    ) {
        if case .edge(let edge) = relay { asked.remove(edge) }
        self.receivers += receivers.prefix(Self.maximumEnds).map { (relay, $0) }
        self.senders += senders.prefix(Self.maximumEnds).map { (relay, $0) }
    }

    /// Notes that a relay gives no answer.
    mutating func missed(_ edge: RelayIdentity) {
        guard asked.remove(edge) != nil else { return }
        silent.insert(edge)
    }

    /// Forgets relays that gave no answer and have ended.
    mutating func forgetSilent(except isAlive: (RelayIdentity) -> Bool) { silent = silent.filter(isAlive) }

    /// Forgets the ends of pipes of a relay that was lost, and the closes there.
    mutating func lost(_ relay: MediaRelay) {
        receivers.removeAll { $0.relay == relay }
        senders.removeAll { $0.relay == relay }
        retries.removeAll { $0.relay == relay }
    }

    /// Notes that the link to a relay broke without a close frame: if the relay has not answered, it may keep the media from now on.
    mutating func linkBroke(to edge: RelayIdentity, now: MediaTime) {
        if asked.contains(edge) { end = now + Self.time }
    }

    /// Makes a close again that the engine had no time for.
    mutating func retry(_ call: MediaCall, at relay: MediaRelay, now: MediaTime) {
        retries.append((now + Self.retryTime, relay, call))
    }

    /// Returns the closes that are due again.
    mutating func takeRetries(now: MediaTime) -> [(relay: MediaRelay, call: MediaCall)] {
        let due = retries.prefix { $0.at <= now }
        retries.removeFirst(due.count)
        return due.map { ($0.relay, $0.call) }
    }

    mutating func handleTimeout(now: MediaTime) {
        if end <= now { silent = [] }
    }

    // MARK: pipes

    /// Returns the pipes whose ends are both known by now.
    mutating func takePipes() -> [Pipe] {
        var found: [Pipe] = []
        for (to, receiver) in receivers {
            guard let end = receiver.sender,
                let index = senders.firstIndex(where: {
                    $0.sender.end == end && $0.sender.receiver == receiver.end.id && $0.relay != to
                })
            else { continue }
            found.append(
                Pipe(
                    route: MediaPipe.Route(from: senders[index].relay, to: to), receiver: receiver,
                    sender: senders[index].sender.end))
            senders.remove(at: index)
        }
        receivers.removeAll { known in found.contains { $0.receiver == known.receiver && $0.route.to == known.relay } }
        return found
    }

    /// Returns the ends that have no other end, once all relays have answered.
    mutating func takeEnds() -> (
        receivers: [(relay: MediaRelay, receiver: MediaInventory.Receiver)],
        senders: [(relay: MediaRelay, sender: MediaInventory.Sender)]
    ) {
        guard asked.isEmpty else { return ([], []) }
        defer { (receivers, senders) = ([], []) }
        return (receivers, senders)
    }
}
