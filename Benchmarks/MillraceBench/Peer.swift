import Foundation

/// The peer process, as its parent sees it.
final class Peer {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var buffered = Data()

    init(sinks: Int, base: Int) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["peer", "--sinks", String(sinks), "--base", String(base)]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        _ = try line()
    }

    func begin(_ order: PeerOrder) throws {
        try input.fileHandleForWriting.write(contentsOf: try JSONEncoder().encode(order) + Data("\n".utf8))
    }

    /// Packets that were sent for the order.
    func end() throws -> Int { Int(try line().split(separator: " ").last ?? "0") ?? 0 }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private func line() throws -> String {
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
