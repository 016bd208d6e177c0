/// Data on disk.
package enum StorageKeys: ConfigurationSection {
    package static let title = "Recordings and messages"
    package static let keys: [ConfigurationKey] = [
        .text("record", \.record, .directory, "directory into which every stream is recorded"),
        .text(
            "recording.directory", \.recordingDirectory, .directory,
            "directory of recordings requested over HTTP; by default that of `record`"),
        .flag(
            "recording.compose", \.recordingCompose,
            """
            when a recorded session is over, its files are also composed to one Matroska file \
            ([admin.md](admin.md#one-file-of-a-session)), which needs as much space again
            """),
        .flag(
            "recording.chat", \.recordingChat,
            """
            while a stream of a session is recorded, its journal has joins, leaves, moves between subsessions and the chat of \
            the session, except for messages to one user, and for the chat of sessions that require encryption or have an \
            encrypted stream ([admin.md](admin.md#journal))
            """),
        .text(
            "storage.directory", \.storageDirectory, .directory,
            """
            directory of the database of conversations; without it and `storage.url` there are no conversations \
            ([messages.md](messages.md))
            """),
        .text(
            "storage.url", \.storageURL, .storeURL,
            """
            PostgreSQL database of conversations that several relays share, in place of `storage.directory`; the relays \
            of a cluster need it for conversations ([messages.md](messages.md#relays-that-share-conversations))
            """),
        .integer(
            "storage.maximumMegabytes", \.storageMaximumMegabytes, 0...1_000_000_000,
            "maximum size of the database in `storage.directory`, in MiB; 0: limited by the disk only"),
        .flag(
            "storage.checkAtStart", \.storageCheckAtStart, "checks the whole database in `storage.directory` at start"),
        .flag("storage.required", \.storageRequired, "the relay does not start if the database cannot be opened"),
        .integer(
            "messages.retentionDays", \.messagesRetentionDays, 0...36_500,
            "days that messages are kept; 0: without limit"),
    ]
}
