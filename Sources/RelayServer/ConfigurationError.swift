/// Reason that a configuration cannot be used. Commands exit with code 2 on it.
public enum ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    case badValue(key: String, value: String, allowed: String, source: ConfigurationSource)
    /// A file has an entry that is not a key, most likely a typing error.
    case unknownKey(key: String, nearest: String?, source: ConfigurationSource)
    case unreadableFile(path: String, reason: String)
    /// HTTP would be bound beyond loopback without these settings. One entry for each setting.
    case exposed(address: String, missing: [String])

    public var description: String {
        switch self {
        case .badValue(let key, let value, let allowed, let source):
            "\(key): \"\(value)\" (from \(source)) is not allowed; allowed: \(allowed)"
        case .unknownKey(let key, let nearest, let source):
            "\(key) (from \(source)) is not a known key" + (nearest.map { "; did you mean \($0)?" } ?? "")
        case .unreadableFile(let path, let reason):
            "cannot read the configuration file \(path): \(reason)"
        case .exposed(let address, let missing):
            "http.address: other hosts can reach HTTP on \(address), for which these settings are missing:"
                + missing.map { "\n  \($0)" }.joined()
                + "\nSet them, or bind to 127.0.0.1. docs/admin.md, \"Exposure\", has the table."
        }
    }
}
