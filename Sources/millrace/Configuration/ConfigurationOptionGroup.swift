import ArgumentParser

/// Flags of some configuration keys. Values stay text: one place judges them, wherever they come from.
protocol ConfigurationOptionGroup: ParsableArguments {
    /// Every key of the group; nil: its flag was not given.
    var given: [String: String?] { get }
}
