package import NIOCore
package import NIOWebSocket

/// Input of a WebSocket over a link.
package enum LinkSocketInput: Sendable, Equatable {
    case text(ByteBuffer)
    /// Last input: the peer sent a close frame. The code is nil if the frame has none.
    case closed(WebSocketErrorCode?, reason: String)
}
