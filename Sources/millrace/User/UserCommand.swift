import ArgumentParser

/// `millrace user`: what a running relay stores of a user.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Gives out or removes what a running relay stores of a user.",
        discussion: """
            A user is the user_identity of its tokens, within an app. Speaks the admin API (docs/admin.md). The relay is --url or
            MILLRACE_URL, its admin token --token or MILLRACE_ADMIN_TOKEN. Exit code 1 where the relay refuses or cannot be reached.

            Examples:
              millrace user export ada --output ada.jsonl
              millrace user delete ada
            """,
        subcommands: [UserExportCommand.self, UserDeleteCommand.self])
}
