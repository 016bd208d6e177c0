/// How the generator offers peer connections to a relay: by WHIP and WHEP, or in the process.
package protocol WebRTCRelayDoor: Sendable {
    func offer(_ offer: ConnectionOffer) async throws(LoadError) -> ConnectionAnswer
    /// Closing what is closed already is no error.
    func close(_ resource: ConnectionResource) async
    /// What the relay has used so far; nil where it does not say.
    func usage() async -> RelayUsage?
    /// No more calls will come.
    func stop() async
}

extension WebRTCRelayDoor {
    package func stop() async {}
}
