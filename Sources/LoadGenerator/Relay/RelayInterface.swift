package import MediaEngine

/// Interface to a relay that a run uses: over HTTP, or in the same process.
package protocol RelayInterface: Sendable {
    func open(_ request: PlainTransportRequest) async throws(LoadError) -> PlainTransport
    /// Closes a transport; has no effect if it is closed already.
    func close(_ transport: PlainTransport) async
    /// Offers a peer connection.
    /// - Parameter stream: name of the stream that is published, or subscribed to.
    func offer(
        _ sdp: String, _ direction: WebRTCRequest.Direction, session: String, stream: String
    ) async throws(LoadError) -> ConnectionAnswer
    /// Closes a peer connection; has no effect if it is closed already.
    func close(_ resource: ConnectionResource) async
    /// Returns the relay's usage so far; nil if the relay does not report it.
    func usage() async -> RelayUsage?
    /// Ends the use of this object; no more calls follow.
    func stop() async
}

/// A relay's answer to the offer of a peer connection.
package struct ConnectionAnswer: Sendable {
    package var sdp: String
    package var resource: ConnectionResource
}

/// Handle with which to close a peer connection at the relay.
package enum ConnectionResource: Sendable, Hashable {
    /// URL in the answer's `Location` (RFC 9725 section 4.2); nil if there was none.
    case location(String?)
    /// Transport of a relay in this process.
    case transport(TransportID, session: String)
}
