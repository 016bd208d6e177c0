import ControlServer
import HTTPCalls
import Logging
import MediaEngine

extension Relay {
    /// Adopts a configuration that was read again: changes the values of the keys that a running relay can change, and
    /// logs the names of these and of the keys that need a restart.
    ///
    /// - Throws: the error of a configuration that is invalid, alone or together with the values that stay. Then
    ///   nothing changes.
    public func reload(_ new: RelayConfiguration) throws(ConfigurationError) {
        try new.validate()
        let (change, effective) = try values.change(to: new)
        adopt(effective)
        guard !change.adopted.isEmpty || !change.deferred.isEmpty else {
            return logger.notice("configuration read again: no key has changed")
        }
        if !change.adopted.isEmpty {
            logger.notice(
                "configuration read again: new values are in force",
                metadata: ["keys": "\(change.adopted.joined(separator: ", "))"])
        }
        if change.adopted.contains("media.advertised") { logAdvertised(effective) }
        if !change.deferred.isEmpty {
            logger.warning(
                "configuration read again: these keys have changed and need a restart",
                metadata: ["keys": "\(change.deferred.joined(separator: ", "))"])
        }
    }

    /// Reads the configuration again by `read` and adopts it. If it is invalid, logs the error and changes nothing.
    func reload(reading read: @Sendable () async throws(ConfigurationError) -> RelayConfiguration) async {
        do throws(ConfigurationError) {
            try reload(await read())
        } catch {
            logger.error("the new configuration cannot be used; the old one stays in force: \(error)")
        }
    }

    /// Passes the values of the reloadable keys to the parts of the relay.
    private func adopt(_ configuration: RelayConfiguration) {
        if let level = Logger.Level(rawValue: configuration.logLevel) { logLevel.current = level }
        guard let running else { return }
        running.server.parts.apps.adopt(configuration.appDirectory)
        running.server.adopt(configuration.control)
        running.webhooks.adopt(
            url: HTTPTarget(configuration.webhookURL), secret: configuration.webhookSecret,
            limits: configuration.webhookLimits)
        do throws(EngineError) {
            try running.engine.advertise(configuration.advertisedAddresses)
        } catch {
            logger.error("a media worker did not get the advertised addresses; restart the relay: \(error)")
        }
    }
}
