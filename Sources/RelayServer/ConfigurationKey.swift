/// One setting: its name in files (`http.port`), which gives the flag (`--http-port`) and the environment variable
/// (`MILLRACE_HTTP_PORT`), its allowed values, and its access to a `RelayConfiguration`.
package struct ConfigurationKey: Sendable {
    package let name: String
    package let help: String
    /// Description of the allowed values, for people.
    package let allowed: String
    package let isSecret: Bool
    /// Whether the flag can be given without a value and then means `true`.
    package let isSwitch: Bool
    /// Whether the text is a list separated by commas, which a file can also give as an array.
    package var isList = false
    /// Returns the value as text.
    package let read: @Sendable (RelayConfiguration) -> String
    /// Sets the value from text; returns false if the text is not allowed.
    package let write: @Sendable (inout RelayConfiguration, String) -> Bool

    package var defaultText: String { read(RelayConfiguration()) }
    package var components: [String] { name.split(separator: ".").map(String.init) }
    package var flag: String { "--" + words.joined(separator: "-") }
    package var environmentVariable: String { "MILLRACE_" + words.joined(separator: "_").uppercased() }

    /// `http.bodyBytes` -> `http`, `body`, `bytes`.
    private var words: [String] {
        var words = [""]
        for character in name {
            if character == "." {
                words.append("")
            } else if character.isUppercase {
                words.append(character.lowercased())
            } else {
                words[words.count - 1].append(character)
            }
        }
        return words
    }

    package static func named(_ name: String) -> ConfigurationKey? { all.first { $0.name == name } }

    // MARK: kinds

    /// - Parameter step: divisor of allowed values.
    static func integer(
        _ name: String, _ path: WritableKeyPath<RelayConfiguration, Int> & Sendable, _ range: ClosedRange<Int>,
        step: Int = 1, _ help: String
    ) -> ConfigurationKey {
        let parity = step == 2 ? "an even number, " : ""
        return ConfigurationKey(
            name: name, help: help, allowed: parity + "\(range.lowerBound) to \(range.upperBound)", isSecret: false,
            isSwitch: false,
            read: { String($0[keyPath: path]) },
            write: { configuration, text in
                guard let value = Int(text), range.contains(value), value % step == 0 else { return false }
                configuration[keyPath: path] = value
                return true
            })
    }

    static func text(
        _ name: String, _ path: WritableKeyPath<RelayConfiguration, String> & Sendable, allowed: String,
        secret: Bool = false, list: Bool = false,
        _ help: String, accepts: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, help: help, allowed: allowed, isSecret: secret, isSwitch: false, isList: list,
            read: { $0[keyPath: path] },
            write: { configuration, text in
                guard accepts(text) else { return false }
                configuration[keyPath: path] = text
                return true
            })
    }

    static func choice<C: RawRepresentable & CaseIterable & Sendable>(
        _ name: String, _ path: WritableKeyPath<RelayConfiguration, C> & Sendable, _ help: String
    ) -> ConfigurationKey where C.RawValue == String {
        ConfigurationKey(
            name: name, help: help, allowed: C.allCases.map(\.rawValue).joined(separator: ", "), isSecret: false,
            isSwitch: false,
            read: { $0[keyPath: path].rawValue },
            write: { configuration, text in
                guard let value = C(rawValue: text) else { return false }
                configuration[keyPath: path] = value
                return true
            })
    }

    static func flag(
        _ name: String, _ path: WritableKeyPath<RelayConfiguration, Bool> & Sendable, _ help: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, help: help, allowed: "true, false", isSecret: false, isSwitch: true,
            read: { $0[keyPath: path] ? "true" : "false" },
            write: { configuration, text in
                guard let value = Bool(text) else { return false }
                configuration[keyPath: path] = value
                return true
            })
    }
}
