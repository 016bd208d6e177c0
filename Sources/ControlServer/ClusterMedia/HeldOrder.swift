import MediaBase
import SessionMedia
import Signaling

/// Order that waits for what its relay mirrors.
struct HeldOrder {
    enum Condition {
        /// The relay mirrors none of these streams, which the order publishes.
        case absent(Set<String>)
        /// The relay has this stream, which the order subscribes to.
        case present(StreamID)
    }

    let ticket: MediaTicket
    let order: MediaOrder
    let relay: MediaRelay
    let condition: Condition
    /// Time at which the order is carried out in any case; a subscriber then opens at the home relay.
    let deadline: MediaTime
}
