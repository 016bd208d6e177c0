import Cluster
import Conference
import NIOCore
import NIOWebSocket
import Signaling

/// Sending half of a client's connection, as its session sees it. The connection need not end in the process of the session. Sending never
/// waits: messages that the client does not read accumulate in `backlog`.
protocol ClientChannel: AnyObject, Sendable {
    /// Whether no third party can read the connection, so that media keys may be sent.
    var isConfidential: Bool { get }
    /// Address key of the client; see `ClientAddress`.
    var address: String { get }
    /// Relay that proxies the client, if media of the client may open there; nil: this relay.
    var relay: RelayIdentity? { get }
    /// Messages that were sent and that the kernel has not accepted yet.
    var backlog: SocketBacklog { get }
    /// Space for more messages.
    var space: SocketBacklog { get }
    /// Whether a session sends the client its events. It stays true: a session that removes the client closes the connection.
    var isInSession: Bool { get }

    /// Calls `waiter` once, when half of the space is free; at once if it is already. A later call replaces the waiter.
    func whenDrained(_ waiter: @escaping @Sendable () -> Void)
    /// Notes that a session sends the client its events, including the relay's shutdown.
    func enterSession()
    /// Counts the backlog for a client from now on.
    func count(for holder: ResourceHolder, in resources: ResourceAccounts)
    /// Sends messages in order, after all earlier ones. If the client's queues are full, closes the connection instead.
    func send(_ texts: [ByteBuffer])
    /// Closes the connection after all messages that were sent before.
    func close(_ code: WebSocketErrorCode, _ reason: String)
}
