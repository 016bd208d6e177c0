package import MediaEngine

/// Interface to a relay that a run uses.
package protocol RelayInterface: Sendable {
    /// Returns the relay's usage so far; nil if the relay does not report it.
    func usage() async -> RelayUsage?
    /// Ends the use of this object; no more calls follow.
    func stop() async
}

extension RelayInterface {
    package func stop() async {}
}

/// Interface to a relay's plain transports: over HTTP, or in the same process.
package protocol PlainRelay: RelayInterface {
    func open(_ request: PlainTransportRequest) async throws(LoadError) -> PlainTransport
    /// Closes a transport; has no effect if it is closed already.
    func close(_ transport: PlainTransport) async
}

/// Interface for offering peer connections to a relay: by WHIP and WHEP, or in the same process.
package protocol WebRTCRelay: RelayInterface {
    func offer(_ offer: ConnectionOffer) async throws(LoadError) -> ConnectionAnswer
    /// Closes a peer connection; has no effect if it is closed already.
    func close(_ resource: ConnectionResource) async
}
