import NIOConcurrencyHelpers

/// The configuration of a running relay, which changes when it is read again.
final class ConfigurationInForce: Sendable {
    private struct Values {
        /// As it was read, without the keys that need a restart, so that each reload names them again.
        var given: RelayConfiguration
        /// With values that are fixed while the relay runs (`Relay.completed`).
        var effective: RelayConfiguration
    }

    /// The effective configuration at the start.
    let atStart: RelayConfiguration
    private let values: NIOLockedValueBox<Values>

    init(_ given: RelayConfiguration) {
        atStart = Relay.completed(given)
        values = NIOLockedValueBox(Values(given: given, effective: atStart))
    }

    /// Adopts the reloadable keys of a new configuration.
    ///
    /// - Returns: the change, and the configuration that is now in force.
    /// - Throws: the error of the configuration that would be in force. Then nothing changes.
    func change(to new: RelayConfiguration) throws(ConfigurationError) -> (ConfigurationChange, RelayConfiguration) {
        let result = values.withLockedValue {
            values -> Result<(ConfigurationChange, RelayConfiguration), ConfigurationError> in
            let change = ConfigurationChange(from: values.given, to: new)
            let given = change.applied(to: values.given)
            let effective = Relay.completed(change.applied(to: values.effective))
            do throws(ConfigurationError) {
                // A value that stays may need one that is gone, such as an address beyond loopback its admin token.
                try given.validate()
            } catch {
                return .failure(error)
            }
            values = Values(given: given, effective: effective)
            return .success((change, effective))
        }
        return try result.get()
    }
}
