import ArgumentParser
import RelayServer

/// Definitions of flags for the argument parser, made once: the parser reflects a group hundreds of times in one run.
enum FlagDefinitions {
    /// Names and definitions of the flags of each section, by the section's title.
    static let all: [String: [(name: String, definition: any Sendable)]] = Dictionary(
        uniqueKeysWithValues: ConfigurationKey.sections.map { section in
            (section.title, section.keys.map { (FlagKey($0).stringValue, definition($0)) })
        })

    private static func definition(_ key: ConfigurationKey) -> any Sendable {
        let name = NameSpecification.customLong(FlagKey(key).stringValue)
        guard key.isSwitch else { return Option<String?>(name: name, help: help(key)) }
        return Flag<Bool?>(name: name, inversion: .prefixedNo, help: help(key))
    }

    /// Returns the effect of a key, its allowed values and its default.
    private static func help(_ key: ConfigurationKey) -> ArgumentHelp {
        let preset = key.defaultText.isEmpty ? "none" : key.defaultText
        let text = key.isSwitch ? key.help : "\(key.help) (\(key.allowed); default: \(preset))"
        var help = ArgumentHelp(stringLiteral: text)
        help.valueName = key.valueName
        return help
    }
}
