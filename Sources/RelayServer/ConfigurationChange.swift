/// Differences between the configuration of a running relay and one that was read again.
package struct ConfigurationChange: Sendable, Equatable {
    /// Names of changed keys whose new values the relay adopts.
    package let adopted: [String]
    /// Names of changed keys that take effect at the next start.
    package let deferred: [String]
    private let new: RelayConfiguration

    /// Compares two configurations.
    package init(from old: RelayConfiguration, to new: RelayConfiguration) {
        let changed = ConfigurationKey.all.filter { $0.read(old) != $0.read(new) }
        adopted = changed.filter(\.isReloadable).map(\.name)
        deferred = changed.filter { !$0.isReloadable }.map(\.name)
        self.new = new
    }

    /// Returns a configuration with the new values of the adopted keys.
    package func applied(to running: RelayConfiguration) -> RelayConfiguration {
        var result = running
        for key in ConfigurationKey.all where adopted.contains(key.name) { _ = key.write(&result, key.read(new)) }
        return result
    }
}
