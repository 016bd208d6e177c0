import ArgumentParser

@main
struct MillraceBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "millrace-bench",
        abstract: "Measures the relay against its C baselines, in one run on one machine.",
        discussion: """
            Figures are CPU nanoseconds per forwarded packet, and ratios to programs that are measured interleaved with the relay: \
            ratios differ less between machines.

            Example: millrace-bench fanout --subscribers 10,100,500 --seconds 3
            """,
        subcommands: [
            FanoutCommand.self, TransportsCommand.self, MemoryCommand.self, CallsCommand.self, PipeCommand.self,
            MillionCommand.self, PeerCommand.self, SinksCommand.self, StampedSinkCommand.self, LossyPathCommand.self,
            PublishersCommand.self, SubscribersCommand.self, VerifierCommand.self, RecordingsCommand.self,
            LiveCommand.self, SFrameCommand.self,
        ])
}
