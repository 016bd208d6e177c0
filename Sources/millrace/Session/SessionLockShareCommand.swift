import ArgumentParser

/// `millrace session lock-share SESSION`.
struct SessionLockShareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock-share",
        abstract: "Lets only host and managers share a screen; running shares of others stop.",
        discussion: """
            Examples:
              millrace session lock-share demo
              millrace session lock-share demo --off
            """)

    @OptionGroup var options: SessionOptions
    @Flag(help: "let all participants share again") var off = false

    func run() async throws {
        let client = try options.relay.relay()
        try await client.send("PUT", client.path(options.session, "share-lock"), body: ["locked": !off])
        if options.relay.json { print("{}") }
    }
}
