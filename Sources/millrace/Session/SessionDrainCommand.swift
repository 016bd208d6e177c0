import ArgumentParser

/// `millrace session drain`: ends a relay gracefully.
struct SessionDrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Ends the relay once its clients have left, or after a time.",
        discussion: """
            From now on the relay accepts nothing new, and /readyz reports it. Its clients are told to move, to another relay
            if one is given. It ends when they have left, or when the time is over; a later drain replaces this one.

            Examples:
              millrace session drain --seconds 60
              millrace session drain --seconds 600 --to wss://other.example
            """)

    @OptionGroup(title: "Relay") var relay: RelayOptions
    @Option(help: ArgumentHelp("maximum time until the end, 0 to 86400", valueName: "seconds")) var seconds = 60
    @Option(help: ArgumentHelp("relay to which clients should move", valueName: "url")) var to: String?

    func run() async throws {
        let client = try relay.relay()
        var body: [String: Any] = ["seconds": seconds]
        if let to { body["url"] = to }
        let data = try await client.send("POST", "/v1/admin/drain", body: body)
        print(relay.json ? String(decoding: data, as: UTF8.self) : "draining, for \(seconds) s at most")
    }
}
