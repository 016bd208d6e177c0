package import MediaEngine

/// Handle with which to close a peer connection at the relay.
package enum ConnectionResource: Sendable, Hashable {
    /// URL in the answer's `Location` (RFC 9725 section 4.2); nil if there was none.
    case location(String?)
    /// Transport of a relay in this process.
    case transport(TransportID, session: String)
}
