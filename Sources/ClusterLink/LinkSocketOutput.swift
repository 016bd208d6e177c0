import NIOCore
import NIOWebSocket

/// Output of a WebSocket over a link.
enum LinkSocketOutput: Sendable {
    case text(ByteBuffer)
    /// Last output.
    case close(WebSocketErrorCode?, reason: String)
}
