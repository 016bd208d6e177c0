import ArgumentParser
import Foundation
import Messaging
import Persistence

/// Measures the cost of conversations on disk, and its growth with their number.
@main
struct MessageBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "millrace-bench-messages",
        abstract: "Fills a store with messages, then reads pages of it and writes to it.",
        discussion: """
            One user with many conversations of 100 messages each; every row is a store of another size. Pages have 100 items and begin
            at random items. Messages are sent at a steady rate; each is timed from its due time to its answer, which follows its commit.
            """)

    @Option(help: "messages of the stores, smallest first") var messages: [Int] = [10_000, 100_000, 1_000_000]
    @Option(help: "pages of each kind that are read") var pages = 5_000
    @Option(help: "messages a second while sending") var rate = 200
    @Option(help: "seconds of sending") var seconds = 30
    @Option(help: "bytes of a message's text") var text = 100
    @Option(help: "directory of the stores; they are removed") var directory = "out/bench-messages"
    @Option(help: "limit of the 99th percentile of a page, in milliseconds; 0: none") var maxPage = 0.0
    @Option(help: "limit of the 99th percentile of a message, in milliseconds; 0: none") var maxSend = 0.0
    @Flag(help: "a JSON object a line") var json = false

    func validate() throws {
        guard messages.allSatisfy({ $0 >= 1_000 && $0 <= 100_000_000 }) else {
            throw ValidationError("a store has 1,000 to 100,000,000 messages")
        }
        guard pages > 0, (1...100_000).contains(rate), seconds > 0, (1...8_192).contains(text) else {
            throw ValidationError("out of range")
        }
    }

    func run() async throws {
        var isOver = false
        if !json { print(MessageBenchRow.head) }
        for count in messages {
            let path = "\(directory)/\(count)"
            try? FileManager.default.removeItem(atPath: path)
            defer { try? FileManager.default.removeItem(atPath: path) }
            let store = try BenchStore(directory: path, messages: count, textBytes: text)
            let row = try await MessageBenchRow(
                messages: count, conversations: store.conversations, fill: store.fill(),
                list: store.lists(pages), history: store.histories(pages),
                send: store.send(rate: rate, seconds: seconds), megabytes: Double(store.bytes) / 1_048_576)
            print(json ? try row.json() : row.line)
            fflush(nil)
            isOver = isOver || row.exceeds(page: maxPage, send: maxSend)
        }
        if isOver { throw ExitCode.failure }
    }
}
