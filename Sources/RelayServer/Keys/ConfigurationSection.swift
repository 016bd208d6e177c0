/// A group of configuration keys, as `--help` and docs/configuration.md show it.
///
/// A section is a type, because the argument parser distinguishes groups of flags by their types.
package protocol ConfigurationSection: SendableMetatype {
    static var title: String { get }
    static var keys: [ConfigurationKey] { get }
}
