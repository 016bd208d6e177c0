import Cluster
import Conference
import NIOConcurrencyHelpers
import NIOCore
import NIOWebSocket

@testable import ControlServer

/// Sending half of a client's connection, with a client that reads at once or not at all.
final class TestChannel: ClientChannel {
    private struct State {
        var sent: [ByteBuffer] = []
        var isReading = true
        var isInSession = false
        var closing: String?
        var waiter: (@Sendable () -> Void)?
    }

    /// Messages that fit in the queues of a client that does not read.
    private static let capacity = 4

    let isConfidential = true
    let address: String
    let relay: RelayIdentity? = nil
    private let state = NIOLockedValueBox(State())

    init(address: String) { self.address = address }

    var backlog: SocketBacklog {
        state.withLockedValue { $0.isReading ? SocketBacklog() : SocketBacklog(messages: $0.sent.count) }
    }

    var space: SocketBacklog {
        state.withLockedValue { state in
            let messages = state.isReading ? 1_000 : max(Self.capacity - state.sent.count, 0)
            return SocketBacklog(messages: messages, bytes: 1 << 20)
        }
    }

    var isInSession: Bool { state.withLockedValue { $0.isInSession } }
    /// Reason with which the relay has closed the connection; nil while it is open.
    var closing: String? { state.withLockedValue { $0.closing } }

    func whenDrained(_ waiter: @escaping @Sendable () -> Void) { state.withLockedValue { $0.waiter = waiter } }
    func enterSession() { state.withLockedValue { $0.isInSession = true } }
    func count(for holder: ResourceHolder, in resources: ResourceAccounts) {}
    func send(_ texts: [ByteBuffer]) { state.withLockedValue { if $0.closing == nil { $0.sent += texts } } }
    func close(_ code: WebSocketErrorCode, _ reason: String) {
        state.withLockedValue { $0.closing = $0.closing ?? reason }
    }

    // MARK: client

    /// Returns the messages that the client has read since the last call.
    func read() -> [ByteBuffer] {
        state.withLockedValue { state in
            guard state.isReading else { return [] }
            defer { state.sent = [] }
            return state.sent
        }
    }

    func stopReading() { state.withLockedValue { $0.isReading = false } }

    /// Reads again, and calls the session's waiter.
    func continueReading() {
        let waiter = state.withLockedValue { state in
            state.isReading = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?()
    }
}
