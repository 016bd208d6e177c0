/// Interface for offering peer connections to a relay: by WHIP and WHEP, or in the same process.
package protocol WebRTCRelayDoor: Sendable {
    func offer(_ offer: ConnectionOffer) async throws(LoadError) -> ConnectionAnswer
    /// Closes a peer connection; has no effect if it is closed already.
    func close(_ resource: ConnectionResource) async
    /// Returns the relay's usage so far; nil if the relay does not report it.
    func usage() async -> RelayUsage?
    /// Ends the use of this object; no more calls follow.
    func stop() async
}

extension WebRTCRelayDoor {
    package func stop() async {}
}
