import ArgumentParser

/// `millrace user delete USER`.
struct UserDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Removes a user's conversations, its memberships, and all messages that it wrote.",
        discussion: """
            Other users keep their messages to it, under its id. This cannot be undone: export first. A second run does nothing.

            Example:
              millrace user delete ada
            """)

    @OptionGroup var options: UserOptions

    func run() async throws {
        let client = try options.relay.relay()
        try await client.send("DELETE", options.path(), query: options.query)
        if options.relay.json { print("{}") }
    }
}
