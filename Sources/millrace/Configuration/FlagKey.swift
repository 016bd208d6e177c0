import RelayServer

/// Name of a flag without its dashes, by which the argument parser stores its value.
struct FlagKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ key: ConfigurationKey) { stringValue = String(key.flag.dropFirst(2)) }

    init?(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}
