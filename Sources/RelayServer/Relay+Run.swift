import Foundation
import UnixSignals

extension Relay {
    /// Starts the relay, serves until SIGINT or SIGTERM, and drains. A second signal during the drain ends the process
    /// at once. A crash of the process leaves a report (`RelayConfiguration.crashDirectory`).
    ///
    /// - Parameters:
    ///   - onReady: called when the relay accepts requests.
    ///   - reading: reads the configuration again when the process receives SIGHUP, see `reload(_:)`; nil: SIGHUP has
    ///     its default effect.
    public func run(
        onReady: @Sendable () async -> Void = {},
        reading: (@Sendable () async throws(ConfigurationError) -> RelayConfiguration)? = nil
    ) async throws {
        let report = beginCrashReports()
        defer { if let report { configuration.crashReports?.end(report) } }
        let signals =
            reading == nil
            ? await UnixSignalsSequence(trapping: .sigint, .sigterm)
            : await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        try await start()
        let watch = Task {
            var isDraining = false
            for await signal in signals {
                if signal == .sighup, let reading {
                    await reload(reading: reading)
                    continue
                }
                if isDraining {
                    logger.warning("second signal, exiting at once", metadata: ["signal": "\(signal)"])
                    Foundation.exit(1)
                }
                isDraining = true
                logger.notice("shutting down", metadata: ["signal": "\(signal)"])
                Task { await stop() }
            }
        }
        defer { watch.cancel() }
        await onReady()
        try await wait()
    }
}
