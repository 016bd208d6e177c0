import Foundation

/// How a relay is to end.
package struct DrainOrder: Sendable, Equatable {
    /// Seconds until the end that an operator may give.
    package static let range = 0...86_400

    /// The end comes after so many seconds at the latest.
    package var seconds: Int
    /// Where clients are to go; nil: to the same address, once the relay is back.
    package var url: String?

    package init(seconds: Int, url: String? = nil) {
        self.seconds = seconds
        self.url = url
    }

    static func isURL(_ text: String) -> Bool {
        guard text.utf8.count <= 2_048, let url = URL(string: text), let host = url.host(), !host.isEmpty else {
            return false
        }
        return ["ws", "wss", "http", "https"].contains(url.scheme?.lowercased())
    }
}

/// Orders to drain, from the admin API to whoever carries them out. A newer order takes the place of one that nobody has read.
package final class DrainControl: Sendable {
    package let orders: AsyncStream<DrainOrder>
    private let continuation: AsyncStream<DrainOrder>.Continuation

    package init() {
        (orders, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package func order(_ order: DrainOrder) { continuation.yield(order) }
}
