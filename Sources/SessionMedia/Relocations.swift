import Conference
import Signaling

/// Moves of peers that the media plane has not received yet. One call runs at a time; moves that arrive during it go into the next.
struct Relocations: Sendable {
    /// Work that continues after all moves that were requested before it.
    enum Waiter: Sendable {
        case request(MediaRequestID, ConnectionID)
        case subscriber(ConnectionID, PeerID)
        case publisher(ConnectionID, PeerID)

        var client: ConnectionID {
            switch self {
            case .request(_, let id), .subscriber(let id, _), .publisher(let id, _): id
            }
        }
    }

    /// Location to which each peer moves last.
    var waiting: [PeerID: Location] = [:]
    var isUnderWay = false
    /// Work after the call in progress, and work after the next one.
    var current: [Waiter] = []
    var next: [Waiter] = []

    var isEmpty: Bool { !isUnderWay && waiting.isEmpty && current.isEmpty && next.isEmpty }
}
