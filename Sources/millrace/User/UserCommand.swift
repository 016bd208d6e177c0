import ArgumentParser

/// `millrace user`: data that a running relay stores about a user.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Exports or deletes the data that a running relay stores about a user.",
        discussion: """
            A user is the user_identity of its tokens, within an app. Uses the admin API (docs/admin.md). The relay is --url or
            MILLRACE_URL, its admin token --token or MILLRACE_ADMIN_TOKEN. Exit code 1 if the relay refuses or cannot be reached.

            Examples:
              millrace user export ada --output ada.jsonl
              millrace user delete ada
            """,
        subcommands: [UserExportCommand.self, UserDeleteCommand.self])
}
