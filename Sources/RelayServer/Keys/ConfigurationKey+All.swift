extension ConfigurationKey {
    /// All sections, in the order of `--help` and docs/configuration.md.
    package static let sections: [any ConfigurationSection.Type] = [
        GeneralKeys.self, HTTPKeys.self, AppKeys.self, MediaKeys.self, WebRTCKeys.self, LiveKeys.self,
        ConnectionKeys.self,
        StorageKeys.self, ClusterKeys.self, LimitKeys.self,
    ]

    /// All keys, in the order of their sections.
    package static let all: [ConfigurationKey] = sections.flatMap { $0.keys }

    package static func named(_ name: String) -> ConfigurationKey? { all.first { $0.name == name } }
}
