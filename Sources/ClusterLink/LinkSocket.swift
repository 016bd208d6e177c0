package import NIOCore
package import NIOWebSocket

/// WebSocket to another relay (RFC 6455), opened by `LinkCaller.connect`. It answers pings and detects a silent peer by itself.
///
/// ```swift
/// for try await input in socket.input {
///     switch input {
///     case .text(let text): client.send([text])
///     case .closed(let code, let reason): client.close(code ?? .normalClosure, reason)
///     }
/// }
/// ```
package final class LinkSocket: Sendable {
    /// Messages of the peer, for one reader. It ends after `closed`, or after this side's `close`; it throws a ``LinkError`` if the connection
    /// breaks or the peer is silent. If its reader goes away before, the connection is cut without a close frame.
    package let input: LinkSequence<LinkSocketInput>
    private let channel: any Channel

    init(_ input: LinkSequence<LinkSocketInput>, over channel: any Channel) {
        self.input = input
        self.channel = channel
    }

    /// Sends a text message, after all earlier ones. Returns when the kernel has taken it, so that a sender is as fast as the peer reads.
    /// - Throws: `broken` if the socket is closed, or the task is cancelled; in the second case the message may still be sent.
    package func send(_ text: ByteBuffer) async throws(LinkError) {
        do {
            try await channel.deliver(LinkSocketOutput.text(text))
        } catch {
            throw LinkError(error, isAnswered: true)
        }
    }

    /// Sends a close frame after all earlier messages. The connection ends after the peer's answer, or after `LinkSettings.closingTime`.
    ///
    /// - Parameters:
    ///   - code: nil for a frame without a code.
    ///   - reason: cut to 123 bytes; not sent without a code.
    package func close(_ code: WebSocketErrorCode?, _ reason: String = "") {
        channel.writeAndFlush(LinkSocketOutput.close(code, reason: reason), promise: nil)
    }
}
