/// Source of a configuration value, highest precedence first.
public enum ConfigurationSource: Sendable, Hashable, CustomStringConvertible {
    /// A command-line flag, by its name with dashes.
    case flag(String)
    /// An environment variable, by its name.
    case environment(String)
    /// A configuration file, by its path.
    case file(String)
    /// Set by the embedding program.
    case code
    case builtIn

    public var description: String {
        switch self {
        case .flag(let name): "flag \(name)"
        case .environment(let name): "environment \(name)"
        case .file(let path): "file \(path)"
        case .code: "program"
        case .builtIn: "default"
        }
    }
}
