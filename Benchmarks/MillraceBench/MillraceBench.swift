import ArgumentParser

@main
struct MillraceBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "millrace-bench",
        abstract: "Measures the relay against its C baselines, in one run on one machine.",
        discussion: """
            Figures are CPU nanoseconds a forwarded packet, and ratios against programs measured by turns with the relay: \
            machines differ, ratios less so.

            Example: millrace-bench fanout --subscribers 10,100,500 --seconds 3
            """,
        subcommands: [
            FanoutCommand.self, LegsCommand.self, MemoryCommand.self, CallsCommand.self, PeerCommand.self,
            SinksCommand.self,
        ])
}
