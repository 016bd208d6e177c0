import MediaEngine
import Signaling

/// Publisher without a control connection (WHIP or plain SRTP): a participant with one stream.
struct BarePublisher: Sendable {
    let connection: ConnectionID
    let transport: TransportID
    let isPlain: Bool
    /// Counts the publisher as a participant of its resource holder.
    let lease: ResourceLease
    /// Whether its ticket has been used. From then on, another publisher may take over its stream.
    var isOpen = false
}
