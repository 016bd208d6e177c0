package import MediaEngine

/// How the generator asks a relay for plain transports: by HTTP, or in the process.
package protocol RelayDoor: Sendable {
    func open(_ request: PlainTransportRequest) async throws(LoadError) -> PlainTransport
    /// Closing what is closed already is no error.
    func close(_ transport: PlainTransport) async
    /// What the relay has used so far; nil where it does not say.
    func usage() async -> RelayUsage?
    /// No more calls will come.
    func stop() async
}

extension RelayDoor {
    package func stop() async {}
}
