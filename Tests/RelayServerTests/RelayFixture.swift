import Logging
import RelayServer

/// Runs `body` against a relay on free ports.
@discardableResult
func withRelay<R>(
    _ configure: (inout RelayConfiguration) -> Void = { _ in }, _ body: (Relay, RawHTTPClient) async throws -> R
) async throws -> R {
    var configuration = RelayConfiguration()
    configuration.httpPort = 0
    configuration.mediaPort = 0
    configuration.webRTCPort = 0
    configuration.mediaAddress = "127.0.0.1"
    configuration.drainSeconds = 0
    configuration.logLevel = "critical"
    configuration.httpCORSOrigin = "*"
    configure(&configuration)
    let relay = Relay(configuration: configuration)
    try await relay.start()
    do {
        let result = try await body(relay, RawHTTPClient(port: relay.httpPort))
        await relay.stop()
        return result
    } catch {
        await relay.stop()
        throw error
    }
}
