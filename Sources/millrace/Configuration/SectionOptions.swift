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
        let flags = FlagDefinitions.all[Section.title] ?? []
        return Mirror(self, children: flags.map { (label: Optional($0.name), value: $0.definition as Any) })
    }
}
