import Foundation

/// Order to shut the relay down.
package struct DrainOrder: Sendable, Equatable {
    /// Valid values of `seconds`.
    package static let range = 0...86_400

    /// Maximum time until the relay exits.
    package var seconds: Int
    /// URL that clients should connect to; nil: the same address, once the relay has restarted.
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

/// Passes drain orders from the admin API to the code that carries them out. A new order replaces one that has not been read.
package final class DrainControl: Sendable {
    package let orders: AsyncStream<DrainOrder>
    private let continuation: AsyncStream<DrainOrder>.Continuation

    package init() {
        (orders, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package func order(_ order: DrainOrder) { continuation.yield(order) }
}
