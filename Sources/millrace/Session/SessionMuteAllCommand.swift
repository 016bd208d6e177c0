import ArgumentParser

/// `millrace session mute-all SESSION`.
struct SessionMuteAllCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute-all",
        abstract: "Mutes the audio of all streams of a session, and of those that begin later.",
        discussion: """
            Publishers may unmute themselves. With --off, streams that begin later keep their audio.

            Examples:
              millrace session mute-all demo
              millrace session mute-all demo --except s7Xb2 --except s9Qa1
              millrace session mute-all demo --off
            """)

    @OptionGroup var options: SessionOptions
    @Option(name: .customLong("except"), help: ArgumentHelp("id of a stream to leave unchanged", valueName: "id"))
    var excluded: [String] = []
    @Flag(help: "stop muting streams that begin later") var off = false

    func validate() throws {
        guard !off || excluded.isEmpty else { throw ValidationError("--off is for all streams") }
    }

    func run() async throws {
        let client = try options.relay.relay()
        var body: [String: Any] = ["muted": !off]
        if !excluded.isEmpty { body["excluding"] = excluded }
        try await client.send("PUT", client.path(options.session, "mute-all"), body: body)
        if options.relay.json { print("{}") }
    }
}
