import ArgumentParser

/// `millrace messages`: maintenance of stored conversations.
struct MessagesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages", abstract: "Copies stored conversations into a database that relays share.",
        subcommands: [MessagesCopyCommand.self])
}
