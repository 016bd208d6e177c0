import ArgumentParser

/// `millrace session mute SESSION`.
struct SessionMuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute",
        abstract: "Mutes a stream, or all that a participant publishes, at the relay.",
        discussion: """
            The relay forwards nothing of muted media, even if its client sends it. The publisher may unmute itself.

            Examples:
              millrace session mute demo --participant c7Xb2
              millrace session mute demo --stream cam --kind video
              millrace session mute demo --stream cam --kind video --off
            """)

    @OptionGroup var options: SessionOptions
    @Option(help: ArgumentHelp("id of a stream", valueName: "id")) var stream: String?
    @Option(help: ArgumentHelp("id of a participant", valueName: "id")) var participant: String?
    @Option(help: ArgumentHelp("audio or video", valueName: "kind")) var kind = "audio"
    @Flag(help: "unmute the stream instead") var off = false

    func validate() throws {
        guard (stream == nil) != (participant == nil) else {
            throw ValidationError("name a --stream or a --participant")
        }
        guard ["audio", "video"].contains(kind) else { throw ValidationError("--kind is audio or video") }
        guard !off || stream != nil else {
            throw ValidationError("a participant can only be asked to unmute; --off needs --stream")
        }
    }

    func run() async throws {
        let client = try options.relay.relay()
        if let stream {
            try await client.send(
                "PUT", client.path(options.session, "streams", stream, "mute"), body: ["kind": kind, "muted": !off])
        } else if let participant {
            try await client.send(
                "POST", client.path(options.session, "participants", participant, "mute"), body: ["kind": kind])
        }
        if options.relay.json { print("{}") }
    }
}
