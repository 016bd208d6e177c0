import ArgumentParser

/// `millrace session end SESSION`.
struct SessionEndCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end",
        abstract: "Ends a session for all its participants.",
        discussion: """
            Example:
              millrace session end demo
            """)

    @OptionGroup var options: SessionOptions

    func run() async throws {
        let client = try options.relay.relay()
        try await client.send("DELETE", client.path(options.session))
        if options.relay.json { print("{}") }
    }
}
