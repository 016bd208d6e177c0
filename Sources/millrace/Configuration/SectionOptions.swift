import ArgumentParser
import RelayServer

/// The flags of one section, made from the table of keys. Values stay text, because the configuration loader validates
/// values from all sources.
///
/// The argument parser finds its definitions by reflection, so this type reflects one definition for each key.
struct SectionOptions<Section: ConfigurationSection>: ParsableArguments, CustomReflectable {
    /// Values of the flags that were given, by the name of the configuration key.
    private(set) var given: [String: String] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FlagKey.self)
        for key in Section.keys {
            let flag = FlagKey(key)
            given[key.name] =
                try key.isSwitch
                ? container.decode(Flag<Bool?>.self, forKey: flag).wrappedValue.map { String($0) }
                : container.decode(Option<String?>.self, forKey: flag).wrappedValue
        }
    }

    var customMirror: Mirror {
        Mirror(self, children: Section.keys.map { (FlagKey($0).stringValue, Self.definition($0)) })
    }

    private static func definition(_ key: ConfigurationKey) -> Any {
        let name = NameSpecification.customLong(FlagKey(key).stringValue)
        return key.isSwitch
            ? Flag<Bool?>(name: name, inversion: .prefixedNo, help: help(key)) as Any
            : Option<String?>(name: name, help: help(key)) as Any
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
