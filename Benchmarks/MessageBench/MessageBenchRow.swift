import Foundation

/// Measurements of one store.
struct MessageBenchRow: Encodable {
    var messages: Int
    var conversations: Int
    /// Messages per second while the store was filled at full speed.
    var fill: Double
    var list: Latencies
    var history: Latencies
    var send: Latencies
    var megabytes: Double

    static let head = "  messages  talks  filled/s  list p50 p99 ms  history p50 p99 ms  send p50 p99 max ms    MiB"

    var line: String {
        String(
            format: "%10d %6d %9.0f %8.2f %7.2f %11.2f %7.2f %8.2f %5.2f %6.2f %6.0f", messages, conversations, fill,
            list.p50, list.p99, history.p50, history.p99, send.p50, send.p99, send.max, megabytes)
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    /// - Parameters:
    ///   - page: limit in milliseconds; 0: none.
    ///   - send: limit in milliseconds; 0: none.
    func exceeds(page: Double, send limit: Double) -> Bool {
        (page > 0 && max(list.p99, history.p99) > page) || (limit > 0 && send.p99 > limit)
    }
}
