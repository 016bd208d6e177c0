import ArgumentParser
import RelayServer

extension ArgumentHelp {
    /// Returns the help of a configuration key: its effect, allowed values and default.
    static func key(_ name: String, valueName: String = "value") -> ArgumentHelp {
        guard let key = ConfigurationKey.named(name) else { return "" }
        let preset = key.defaultText.isEmpty ? "none" : key.defaultText
        let text = key.isSwitch ? key.help : "\(key.help) (\(key.allowed); default: \(preset))"
        return ArgumentHelp(stringLiteral: text).valued(valueName)
    }

    private func valued(_ name: String) -> ArgumentHelp {
        var help = self
        help.valueName = name
        return help
    }
}
