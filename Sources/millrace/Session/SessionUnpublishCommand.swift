import ArgumentParser

/// `millrace session unpublish SESSION STREAM`.
struct SessionUnpublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpublish",
        abstract: "Ends a stream; its publisher stays in the session.",
        discussion: """
            Example:
              millrace session unpublish demo s7Xb2
            """)

    @OptionGroup var options: SessionOptions
    @Argument(help: "id of the stream") var stream: String

    func run() async throws {
        let client = try options.relay.relay()
        try await client.send("DELETE", client.path(options.session, "streams", stream))
        if options.relay.json { print("{}") }
    }
}
