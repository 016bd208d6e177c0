import Cluster
import MediaBase
import MediaEngine
import SessionMedia
import Signaling

/// Media that the previous home relay of the session has opened, and that continues after its loss. Each relay names what it has, and the caller
/// adopts each peer or discards it. Pipes between relays continue if both ends are known and the adopted peers need them.
extension ClusterMedia {
    /// Whether relays may have media of the previous home relay that is not known here, or is not as it should be.
    var isTakingOver: Bool {
        !takeOver.isOver
            || calls.values.contains { if case .discard = $0.purpose { true } else { false } }
    }

    /// Asks relays for what the previous home relay has opened there.
    ///
    /// - Parameter relays: with whether the answer is awaited. That of a relay which has probably ended is not.
    mutating func takeOver(asking relays: [RelayIdentity: Bool], now: MediaTime) {
        takeOver.begin(awaiting: Set(relays.filter(\.value).keys), now: now)
        for relay in relays.keys.sorted(by: { $0.id < $1.id }) { call(.edge(relay), .inventory, .inventory, now: now) }
    }

    mutating func inventoryAnswered(_ result: MediaCallResult, by relay: MediaRelay) {
        // A relay of an earlier version does not know the call, and has ended the media.
        let inventory = if case .success(.inventory(let inventory)) = result { inventory } else { MediaInventory() }
        outputs.append(.inventory(relay, inventory))
    }

    /// Continues a peer.
    /// - Returns: false if it cannot be a peer of that relay.
    mutating func adopt(_ peer: PeerID, isPublisher: Bool, _ streams: Set<StreamID>, at relay: MediaRelay) -> Bool {
        peers.adopt(peer, isPublisher: isPublisher, streams, at: relay)
    }

    /// Closes a peer that no client has.
    mutating func discard(_ peer: PeerID, isPlain: Bool, at relay: MediaRelay, now: MediaTime) {
        discard(.order(.closePeer(peer, isPlain: isPlain)), at: relay, now: now)
    }

    /// Continues the pipes of a relay, whose peers were adopted or discarded.
    mutating func continuePipes(
        of relay: MediaRelay, _ receivers: [MediaInventory.Receiver], _ senders: [MediaInventory.Sender], now: MediaTime
    ) {
        takeOver.note(receivers, senders, of: relay)
        let routes = peers.routes
        for pipe in takeOver.takePipes() {
            if routes.contains(pipe.route), let id = pipes.adopt(pipe.route, pipe.receiver, pipe.sender, now: now) {
                takeOver.pipes.insert(id)
            } else {
                discard(pipe.receiver, at: pipe.route.to)
                discard(pipe.sender, at: pipe.route.from, now: now)
            }
        }
        arrange(now: now)
        carryOutPipes(now: now)
    }

    /// Forgets relays that gave no answer and have ended.
    mutating func forgetSilent(except isAlive: (RelayIdentity) -> Bool) { takeOver.forgetSilent(except: isAlive) }

    /// Closes the ends of pipes that have no other end.
    mutating func continueTakeOver(now: MediaTime) {
        let ends = takeOver.takeEnds()
        for (relay, receiver) in ends.receivers { discard(receiver, at: relay) }
        for (relay, sender) in ends.senders { discard(sender.end, at: relay, now: now) }
    }

    private mutating func discard(_ receiver: MediaInventory.Receiver, at relay: MediaRelay) {
        takeOver.pipes.insert(pipes.discard(receiver.end.id, mirroring: receiver.streams, at: relay))
    }

    private mutating func discard(_ sender: PipeEnd, at relay: MediaRelay, now: MediaTime) {
        discard(.closePipe(sender.id), at: relay, now: now)
    }

    /// Makes a call that closes something, until the relay has time for it.
    mutating func discard(_ close: MediaCall, at relay: MediaRelay, now: MediaTime) {
        call(relay, close, .discard(close), now: now)
    }
}
