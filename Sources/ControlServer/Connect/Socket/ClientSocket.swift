import Conference
import NIOConcurrencyHelpers
import NIOCore
import NIOWebSocket
import Signaling

/// The sending half of one WebSocket. Nothing here waits: what the client does not take piles up, and `backlog` says how much.
final class ClientSocket: Sendable {
    struct Backlog: Equatable, Sendable {
        var messages = 0
        var bytes = 0
    }

    /// What is handed over at a time. Less than an outbox keeps for a replay, so that what is lost with a connection is not lost.
    static let window = Backlog(messages: 256, bytes: 512 << 10)

    private struct State {
        var backlog = Backlog()
        /// Wants to hear when there is room again.
        var waiter: (@Sendable () -> Void)?
        var isInSession = false
        /// Counts the backlog for the client's token, user and address, once these are known.
        var queue: QueueLease?
        /// The client holds as many queued bytes as it may: nothing more is sent to it.
        var isOverdrawn = false
    }

    private let channel: any Channel
    private let state = NIOLockedValueBox(State())

    /// Nobody between the relay and whoever speaks to it reads along: keys may be told.
    let isConfidential: Bool

    /// - Parameters:
    ///   - isTLS: the connection is encrypted.
    ///   - trustsLoopback: connections within this host are taken for confidential.
    init(channel: any Channel, isTLS: Bool, trustsLoopback: Bool) {
        self.channel = channel
        isConfidential = isTLS || trustsLoopback && Self.isLoopback(channel.remoteAddress?.ipAddress ?? "")
    }

    /// What those are told who tell keys, or want them, on a connection that is not confidential.
    static let readable = SignalingError(.insecureConnection, "keys go over TLS, or within the relay's host, alone")

    static func isLoopback(_ address: String) -> Bool {
        address == "::1" || (address.hasPrefix("::ffff:") ? address.dropFirst(7) : address[...]).hasPrefix("127.")
    }

    /// Handed over and not yet taken by the kernel.
    var backlog: Backlog { state.withLockedValue { $0.backlog } }

    /// What can be handed over now.
    var space: Backlog {
        let backlog = backlog
        return Backlog(
            messages: max(Self.window.messages - backlog.messages, 0),
            bytes: max(Self.window.bytes - backlog.bytes, 0))
    }

    /// Calls `waiter` once, when half of the window is free; at once where it is. A further call takes the place of the one before.
    func whenDrained(_ waiter: @escaping @Sendable () -> Void) {
        let isFree = state.withLockedValue { state in
            if Self.isHalfFree(state.backlog) { return true }
            state.waiter = waiter
            return false
        }
        if isFree { waiter() }
    }

    private static func isHalfFree(_ backlog: Backlog) -> Bool {
        backlog.messages <= window.messages / 2 && backlog.bytes <= window.bytes / 2
    }

    /// A session tells it what there is to tell, the relay's end as well. It stays so: a session that lets it go closes it.
    var isInSession: Bool { state.withLockedValue { $0.isInSession } }

    func enterSession() { state.withLockedValue { $0.isInSession = true } }

    /// See `ClientAddress`.
    var address: String { ClientAddress.group(of: channel.remoteAddress) }

    /// From now on the backlog counts for a client.
    func count(for holder: ResourceHolder, in resources: ResourceAccounts) {
        state.withLockedValue { $0.queue = QueueLease(for: holder, accounts: resources) }
    }

    /// In order, after all that was sent before. If the client's queues are full, the connection is closed instead.
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
        /// They were full before.
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

    /// After all that was sent before.
    func close(_ code: WebSocketErrorCode, _ reason: String) {
        let channel = channel
        channel.eventLoop.execute {
            channel.writeAndFlush(SocketOutput.close(code, reason), promise: nil)
        }
    }
}
