/// One row of the table of settings: the name in files (`http.port`), which gives the flag (`--http-port`) and the
/// environment variable (`MILLRACE_HTTP_PORT`), the field of `RelayConfiguration`, its allowed values and its text.
///
/// Flags, `--help`, the tables of docs/configuration.md and the example file are generated from these rows. Every key
/// writes a field; tools/check finds fields that nothing reads.
package struct ConfigurationKey: Sendable {
    package let name: String
    /// Effect of the key, in Markdown. The first sentence is the text of `--help`.
    package let text: String
    /// Description of the allowed values, for people.
    package let allowed: String
    /// Name of the value in the usage of the flag.
    package var valueName = "value"
    package var isSecret = false
    /// Whether the flag can be given without a value and then means `true`.
    package var isSwitch = false
    /// Whether the text is a list separated by commas, which a file can also give as an array.
    package var isList = false
    /// Whether a running relay adopts a new value when it reads its file again.
    package private(set) var isReloadable = false
    /// Returns the value as text.
    package let read: @Sendable (RelayConfiguration) -> String
    /// Sets the value from text; returns false if the text is not allowed.
    package let write: @Sendable (inout RelayConfiguration, String) -> Bool

    private static let defaults = RelayConfiguration()
    package var defaultText: String { read(Self.defaults) }
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

    /// The same key, whose new values a running relay adopts.
    var reloadable: ConfigurationKey {
        var key = self
        key.isReloadable = true
        return key
    }

    // MARK: kinds

    /// - Parameter step: divisor of allowed values.
    static func integer(
        _ name: String, _ path: WritableKeyPath<RelayConfiguration, Int> & Sendable, _ range: ClosedRange<Int>,
        step: Int = 1, _ text: String
    ) -> ConfigurationKey {
        let parity = step == 2 ? "an even number, " : ""
        return ConfigurationKey(
            name: name, text: text, allowed: parity + "\(range.lowerBound) to \(range.upperBound)",
            read: { String($0[keyPath: path]) },
            write: { configuration, text in
                guard let value = Int(text), range.contains(value), value % step == 0 else { return false }
                configuration[keyPath: path] = value
                return true
            })
    }

    static func text(
        _ name: String, _ path: WritableKeyPath<RelayConfiguration, String> & Sendable, _ format: Format, _ text: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, text: text, allowed: format.allowed, valueName: format.valueName, isSecret: format.isSecret,
            isList: format.isList,
            read: { $0[keyPath: path] },
            write: { configuration, text in
                guard format.accepts(text) else { return false }
                configuration[keyPath: path] = text
                return true
            })
    }

    static func choice<C: RawRepresentable & CaseIterable & Sendable>(
        _ name: String, _ path: WritableKeyPath<RelayConfiguration, C> & Sendable, _ text: String
    ) -> ConfigurationKey where C.RawValue == String {
        ConfigurationKey(
            name: name, text: text, allowed: C.allCases.map(\.rawValue).joined(separator: ", "),
            read: { $0[keyPath: path].rawValue },
            write: { configuration, text in
                guard let value = C(rawValue: text) else { return false }
                configuration[keyPath: path] = value
                return true
            })
    }

    static func flag(
        _ name: String, _ path: WritableKeyPath<RelayConfiguration, Bool> & Sendable, _ text: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, text: text, allowed: "true, false", isSwitch: true,
            read: { $0[keyPath: path] ? "true" : "false" },
            write: { configuration, text in
                guard let value = Bool(text) else { return false }
                configuration[keyPath: path] = value
                return true
            })
    }
}
