package import MediaEngine

/// Interface to a relay's plain transports: over HTTP, or in the same process.
package protocol RelayDoor: Sendable {
    func open(_ request: PlainTransportRequest) async throws(LoadError) -> PlainTransport
    /// Closes a transport; has no effect if it is closed already.
    func close(_ transport: PlainTransport) async
    /// Returns the relay's usage so far; nil if the relay does not report it.
    func usage() async -> RelayUsage?
    /// Ends the use of this object; no more calls follow.
    func stop() async
}

extension RelayDoor {
    package func stop() async {}
}
