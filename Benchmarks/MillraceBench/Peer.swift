import Foundation

/// Parent's handle of the process that plays the peers.
final class Peer {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var buffered = Data()

    /// Starts publishers, and sockets that are never read.
    convenience init(sinks: Int, base: Int) throws {
        try self.init("peer", sinks: sinks, base: base)
        _ = try line()
    }

    /// - Parameter command: subcommand of the process, which first prints a line that the caller must read.
    init(_ command: String, sinks: Int, base: Int) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [command, "--sinks", String(sinks), "--base", String(base)]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    func begin(_ order: some Encodable) throws {
        try input.fileHandleForWriting.write(contentsOf: try JSONEncoder().encode(order) + Data("\n".utf8))
    }

    /// Returns the number of packets that were sent for the order.
    func end() throws -> Int { Int(try line().split(separator: " ").last ?? "0") ?? 0 }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func line() throws -> String {
        while true {
            if let newline = buffered.firstIndex(of: 10) {
                let text = String(decoding: buffered[..<newline], as: UTF8.self)
                buffered = Data(buffered[(newline + 1)...])
                return text
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw BenchError("the peer process ended") }
            buffered += more
        }
    }
}

struct BenchError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
