import ArgumentParser

/// Flags of a group of configuration keys. Values stay text, because the configuration loader validates values from all sources.
protocol ConfigurationOptionGroup: ParsableArguments {
    /// Value of every key of the group; nil if its flag was not given.
    var given: [String: String?] { get }
}
