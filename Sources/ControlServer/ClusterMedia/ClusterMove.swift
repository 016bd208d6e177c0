import Conference
import MediaEngine
import SessionMedia

/// Move of peers between subsessions that is under way, at one relay or several.
struct ClusterMove {
    let ticket: MediaTicket
    let order: MediaOrder
    /// Moves of each relay, until they are sent.
    var waiting: [MediaRelay: [PeerID: Location]]
    /// Streams of the publishers that move, by their relays.
    let streams: [MediaRelay: Set<String>]
    /// Number of relays that have not answered.
    var unanswered = 0
    /// First refusal of a relay.
    var failure: EngineError?
}
