/// Data on disk.
package enum StorageKeys: ConfigurationSection {
    package static let title = "Recordings and messages"
    package static let keys: [ConfigurationKey] = [
        .text("record", \.record, .directory, "directory into which every stream is recorded"),
        .text(
            "recording.directory", \.recordingDirectory, .directory,
            "directory of recordings requested over HTTP; by default that of `record`"),
        .text(
            "storage.directory", \.storageDirectory, .directory,
            """
            directory of the database of conversations; without it there are no conversations \
            ([messages.md](messages.md))
            """),
        .integer(
            "storage.maximumMegabytes", \.storageMaximumMegabytes, 0...1_000_000_000,
            "maximum size of the database, in MiB; 0: limited by the disk only"),
        .flag("storage.checkAtStart", \.storageCheckAtStart, "checks the whole database at start"),
        .flag("storage.required", \.storageRequired, "the relay does not start if the database cannot be opened"),
        .integer(
            "messages.retentionDays", \.messagesRetentionDays, 0...36_500,
            "days that messages are kept; 0: without limit"),
    ]
}
