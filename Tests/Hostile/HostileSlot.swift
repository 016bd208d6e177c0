import MediaBase

/// One sender of the run: its kind, and its share of the turns.
struct HostileSlot {
    enum Sender: Sendable {
        case noise
        case brokenStreams
        case plainPublisher(stream: String)
        case plainSubscriber
        case webRTC(WebRTCPeer.Role, WebRTCPeer.Habit, stream: String)
    }

    let sender: Sender
    let session: String
    /// Share of the turns, relative to other slots.
    let weight: Int
    var peer: (any HostilePeer)?
    /// Packets that the current peer has sent, and the number after which it is replaced.
    var sent = 0
    var lifetime = 0
    /// Time of the next attempt to open it.
    var retry = MediaTime.zero
    /// Number of refusals by the relay, and the reason of the last one.
    var refusals: UInt64 = 0
    var lastRefusal = ""
    var opened: UInt64 = 0

    init(_ sender: Sender, session: String = "", weight: Int) {
        self.sender = sender
        self.session = session
        self.weight = weight
    }

    /// Returns each slot as often as its weight says.
    static func turns(of slots: [HostileSlot]) -> [Int] {
        slots.enumerated().flatMap { index, slot in Array(repeating: index, count: slot.weight) }
    }

    /// Returns senders for `sessions` sessions: each has publishers and subscribers of all kinds, so that forged media is
    /// forwarded, decoded and recorded.
    static func all(sessions: Int) -> [HostileSlot] {
        var slots = [HostileSlot(.noise, weight: 8 * sessions), HostileSlot(.brokenStreams, weight: 2 * sessions)]
        for number in 0..<sessions {
            let session = "hostile-\(number)"
            slots += [
                HostileSlot(.plainPublisher(stream: "plain"), session: session, weight: 22),
                HostileSlot(
                    .webRTC(.publisher(isSimulcast: false), .none, stream: "webrtc"), session: session, weight: 16),
                HostileSlot(
                    .webRTC(.publisher(isSimulcast: true), .none, stream: "simulcast"), session: session, weight: 16),
                HostileSlot(
                    .webRTC(.publisher(isSimulcast: false), .usesTCP, stream: "framed"), session: session, weight: 4),
                HostileSlot(.plainSubscriber, session: session, weight: 8),
                HostileSlot(.webRTC(.subscriber, .none, stream: "plain"), session: session, weight: 8),
                HostileSlot(.webRTC(.subscriber, .none, stream: "simulcast"), session: session, weight: 10),
                HostileSlot(.webRTC(.subscriber, .usesTCP, stream: "webrtc"), session: session, weight: 4),
                HostileSlot(.webRTC(.subscriber, .breaksHandshake, stream: "webrtc"), session: session, weight: 1),
            ]
        }
        return slots
    }
}
