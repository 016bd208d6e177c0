import ArgumentParser

/// `millrace session remove SESSION PARTICIPANT`.
struct SessionRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a participant, who cannot come back with the same token.",
        discussion: """
            Example:
              millrace session remove demo c7Xb2
            """)

    @OptionGroup var options: SessionOptions
    @Argument(help: ArgumentHelp("id of the participant", valueName: "participant")) var participant: String

    func run() async throws {
        let client = try options.relay.relay()
        try await client.send("DELETE", client.path(options.session, "participants", participant))
        if options.relay.json { print("{}") }
    }
}
