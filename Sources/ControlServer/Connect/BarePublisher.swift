import MediaEngine
import Signaling

/// A publisher without signalling, by WHIP or plain SRTP: a user with one stream.
struct BarePublisher: Sendable {
    let connection: ConnectionID
    let transport: TransportID
    let isPlain: Bool
    /// Counts it as a participant of its holder.
    let lease: ResourceLease
    /// Its ticket is used up: another publisher may take its stream over.
    var isOpen = false
}
