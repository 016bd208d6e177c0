import Cluster
import Conference
import NIOConcurrencyHelpers
import NIOCore
import NIOWebSocket
import Signaling

/// Sending half of one WebSocket of this process.
final class ClientSocket: ClientChannel {
    /// Maximum backlog that a session creates. It is smaller than the replay of an outbox, so that a client that resumes gets the messages
    /// that were lost with its connection.
    static let window = SocketBacklog(messages: 256, bytes: 512 << 10)

    private struct State {
        var backlog = SocketBacklog()
        /// Called when there is space again.
        var waiter: (@Sendable () -> Void)?
        var isInSession = false
        /// Counts the backlog for the client's token, user and address, once these are known.
        var queue: QueueLease?
        /// Whether the client's queues reached their limit: no more messages are sent to it.
        var isOverdrawn = false
    }

    private let channel: any Channel
    private let state = NIOLockedValueBox(State())

    /// Whether no third party can read the connection, so that media keys may be sent.
    let isConfidential: Bool
    /// Address key of the client; see `ClientAddress`.
    let address: String

    /// Relay that proxies the client, if media of the client may open there; nil: this relay.
    let relay: RelayIdentity?

    /// - Parameters:
    ///   - isTLS: whether the connection is encrypted.
    ///   - trustsLoopback: whether connections within this host count as confidential.
    ///   - proxied: client for which another relay of the cluster asks; nil: the other end of the channel is the client.
    ///   - relay: that relay, if media of the client may open there.
    init(
        channel: any Channel, isTLS: Bool, trustsLoopback: Bool, proxied: ProxiedClient? = nil,
        relay: RelayIdentity? = nil
    ) {
        self.channel = channel
        self.relay = relay
        isConfidential =
            proxied?.isConfidential
            ?? (isTLS || trustsLoopback && Self.isLoopback(channel.remoteAddress?.ipAddress ?? ""))
        address = proxied?.addressGroup ?? ClientAddress.group(of: channel.remoteAddress)
    }

    static func isLoopback(_ address: String) -> Bool {
        address == "::1" || (address.hasPrefix("::ffff:") ? address.dropFirst(7) : address[...]).hasPrefix("127.")
    }

    /// Messages that were sent and that the kernel has not accepted yet.
    var backlog: SocketBacklog { state.withLockedValue { $0.backlog } }

    /// Space for more messages in the window.
    var space: SocketBacklog {
        let backlog = backlog
        return SocketBacklog(
            messages: max(Self.window.messages - backlog.messages, 0),
            bytes: max(Self.window.bytes - backlog.bytes, 0))
    }

    /// Numeric address of the client.
    var peer: String { channel.remoteAddress?.ipAddress ?? ProxiedClient.unknown.address }

    /// Waits until the window has space, or the connection is closed.
    func waitForSpace() async {
        guard space.messages == 0 || space.bytes == 0, channel.isActive else { return }
        await withCheckedContinuation { continuation in whenDrained { continuation.resume() } }
    }

    /// Calls `waiter` once, when half of the window is free; at once if it is already. A later call replaces the waiter.
    func whenDrained(_ waiter: @escaping @Sendable () -> Void) {
        let isFree = state.withLockedValue { state in
            if Self.isHalfFree(state.backlog) { return true }
            state.waiter = waiter
            return false
        }
        if isFree { waiter() }
    }

    private static func isHalfFree(_ backlog: SocketBacklog) -> Bool {
        backlog.messages <= window.messages / 2 && backlog.bytes <= window.bytes / 2
    }

    /// Whether a session sends this socket its events, including the relay's shutdown. It stays true: a session that removes the socket
    /// closes it.
    var isInSession: Bool { state.withLockedValue { $0.isInSession } }

    func enterSession() { state.withLockedValue { $0.isInSession = true } }

    /// Counts the backlog for a client from now on.
    func count(for holder: ResourceHolder, in resources: ResourceAccounts) {
        state.withLockedValue { $0.queue = QueueLease(for: holder, accounts: resources) }
    }

    /// Sends messages in order, after all earlier ones. If the client's queues are full, closes the connection instead.
    func send(_ texts: [ByteBuffer]) {
        guard !texts.isEmpty else { return }
        let count = texts.count
        let bytes = texts.reduce(0) { $0 + $1.readableBytes }
        switch state.withLockedValue({ Self.add(count, bytes, to: &$0) }) {
        case .sent: break
        case .dropped: return
        case .full: return close(.policyViolation, DisconnectReason.slowConsumer.rawValue)
        }
        let channel = channel
        let state = state
        channel.eventLoop.execute {
            let sent = channel.eventLoop.makePromise(of: Void.self)
            sent.futureResult.whenComplete { _ in
                let waiter = state.withLockedValue { state -> (@Sendable () -> Void)? in
                    state.backlog.messages -= count
                    state.backlog.bytes -= bytes
                    try? state.queue?.update(state.backlog.bytes)
                    guard Self.isHalfFree(state.backlog) else { return nil }
                    defer { state.waiter = nil }
                    return state.waiter
                }
                waiter?()
            }
            for text in texts.dropLast() { channel.write(SocketOutput.text(text), promise: nil) }
            channel.writeAndFlush(SocketOutput.text(texts[count - 1]), promise: sent)
        }
    }

    private enum Admission {
        case sent
        /// The queues of the client's token, user or address are full.
        case full
        /// The queues were full at an earlier call.
        case dropped
    }

    private static func add(_ messages: Int, _ bytes: Int, to state: inout State) -> Admission {
        guard !state.isOverdrawn else { return .dropped }
        do {
            try state.queue?.update(state.backlog.bytes + bytes)
        } catch {
            state.isOverdrawn = true
            return .full
        }
        state.backlog.messages += messages
        state.backlog.bytes += bytes
        return .sent
    }

    /// Closes the WebSocket after all messages that were sent before.
    func close(_ code: WebSocketErrorCode, _ reason: String) {
        let channel = channel
        channel.eventLoop.execute {
            channel.writeAndFlush(SocketOutput.close(code, reason), promise: nil)
        }
    }
}
