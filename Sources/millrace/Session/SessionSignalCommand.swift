import ArgumentParser

/// `millrace session signal SESSION TYPE [DATA]`.
struct SessionSignalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signal",
        abstract: "Sends a signal to all participants of a session, or to one.",
        discussion: """
            The signal has no sender. A type has at most 128 characters of A-Z a-z 0-9 - _ ~, data at most 8 KiB.

            Examples:
              millrace session signal demo notice "the relay restarts at noon"
              millrace session signal demo refresh --to c7Xb2
            """)

    @OptionGroup var options: SessionOptions
    @Argument(help: "type of the signal") var type: String
    @Argument(help: "data of the signal") var data = ""
    @Option(name: .customLong("to"), help: ArgumentHelp("id of a participant; by default all", valueName: "id"))
    var receiver: String?

    func run() async throws {
        let client = try options.relay.relay()
        var body: [String: Any] = ["type": type, "data": data]
        if let receiver { body["to"] = receiver }
        try await client.send("POST", client.path(options.session, "signals"), body: body)
        if options.relay.json { print("{}") }
    }
}
