package import MediaEngine

/// What ends a peer connection at the relay.
package enum ConnectionResource: Sendable, Hashable {
    /// The URL that the answer's `Location` gave (RFC 9725 section 4.2); nil where it gave none.
    case location(String?)
    /// A transport of the relay in the process.
    case transport(TransportID, session: String)
}
