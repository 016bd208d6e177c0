import ArgumentParser

/// `millrace session`: manages the sessions of a running relay.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Manages the sessions of a running relay.",
        discussion: """
            Uses the admin API (docs/admin.md). The relay is --url or MILLRACE_URL, its admin token --token or
            MILLRACE_ADMIN_TOKEN. Exit code 1 if the relay refuses or cannot be reached.

            Examples:
              millrace session list
              millrace session show demo --url https://relay.example --token "$TOKEN"
            """,
        subcommands: [
            SessionListCommand.self, SessionShowCommand.self, SessionEndCommand.self, SessionMuteCommand.self,
            SessionMuteAllCommand.self, SessionLockShareCommand.self, SessionSignalCommand.self,
            SessionUnpublishCommand.self, SessionRemoveCommand.self, SessionRecordCommand.self, SessionTapCommand.self,
            SessionIssueCommand.self,
            SessionDrainCommand.self,
        ])
}
