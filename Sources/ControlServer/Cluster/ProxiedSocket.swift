import Cluster
import ClusterLink
import NIOConcurrencyHelpers
import NIOCore
import NIOWebSocket

/// WebSocket of a client, proxied over a link to the home relay of its session. Neither end reads faster than the other one accepts.
final class ProxiedSocket: Sendable {
    /// Close code of a relay that is not the home relay of the client's session. It never reaches a client.
    static let misdirected = WebSocketErrorCode.unknown(4_421)
    /// Close code for a client whose home relay was lost (RFC 6455 section 7.4.1, registered as "service restart"). The client resumes.
    static let lost = WebSocketErrorCode.unknown(1_012)

    private let link: LinkSocket
    private let socket: ClientSocket
    private let pump = NIOLockedValueBox<Task<Void, Never>?>(nil)

    init(_ link: LinkSocket, _ socket: ClientSocket) {
        self.link = link
        self.socket = socket
    }

    /// Passes the messages of the home relay on from now on. Returns when the first one has arrived.
    ///
    /// - Parameter onEnd: called when the link has ended.
    /// - Returns: false if the relay is not the home relay, or the link broke before.
    func begin(onEnd: @escaping @Sendable () -> Void) async -> Bool {
        await withCheckedContinuation { begun in
            let task = Task { [link, socket] in
                let ending = await Self.pass(link, to: socket, begun)
                if let ending { socket.close(ending.code, ending.reason) }
                onEnd()
            }
            pump.withLockedValue { $0 = task }
        }
    }

    /// Sends a client's message to the home relay. A link that has failed ends the client's connection by itself.
    func send(_ text: ByteBuffer) async { try? await link.send(text) }

    /// Passes on that the client closed its WebSocket.
    func close(_ code: WebSocketErrorCode?) { link.close(code) }

    /// Ends the link without a close frame, if it is still open: the home relay takes the client's connection as lost.
    func cut() { pump.withLockedValue { $0?.cancel() } }

    private struct Ending {
        var code: WebSocketErrorCode
        var reason: String
    }

    /// - Returns: close frame for the client; nil if the client stays, because the home relay has sent no message.
    private static func pass(
        _ link: LinkSocket, to socket: ClientSocket, _ begun: CheckedContinuation<Bool, Never>
    ) async -> Ending? {
        var hasBegun = false
        defer { if !hasBegun { begun.resume(returning: false) } }
        do {
            for try await input in link.input {
                switch input {
                case .text(let text):
                    socket.send([text])
                    if !hasBegun {
                        hasBegun = true
                        begun.resume(returning: true)
                    }
                    await socket.waitForSpace()
                case .closed(let code, let reason):
                    guard hasBegun else { return nil }
                    return Ending(code: code ?? .normalClosure, reason: reason)
                }
            }
        } catch {
            guard hasBegun else { return nil }
            return Ending(code: lost, reason: "the relay of the session was lost")
        }
        return nil
    }
}
