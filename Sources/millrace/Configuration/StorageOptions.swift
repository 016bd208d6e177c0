import ArgumentParser

/// Data on disk.
struct StorageOptions: ConfigurationOptionGroup {
    @Option(help: .key("record", valueName: "directory")) var record: String?
    @Option(help: .key("recording.directory", valueName: "directory")) var recordingDirectory: String?
    @Option(help: .key("storage.directory", valueName: "directory")) var storageDirectory: String?
    @Option(help: .key("storage.maximumMegabytes")) var storageMaximumMegabytes: String?
    @Flag(inversion: .prefixedNo, help: .key("storage.checkAtStart")) var storageCheckAtStart: Bool?
    @Flag(inversion: .prefixedNo, help: .key("storage.required")) var storageRequired: Bool?
    @Option(help: .key("messages.retentionDays")) var messagesRetentionDays: String?

    var given: [String: String?] {
        [
            "record": record,
            "recording.directory": recordingDirectory,
            "storage.directory": storageDirectory,
            "storage.maximumMegabytes": storageMaximumMegabytes,
            "storage.checkAtStart": storageCheckAtStart.map(String.init),
            "storage.required": storageRequired.map(String.init),
            "messages.retentionDays": messagesRetentionDays,
        ]
    }
}
