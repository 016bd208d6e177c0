import NIOCore
import NIOWebSocket

/// What is sent over a WebSocket.
enum SocketOutput: Sendable {
    case text(ByteBuffer)
    /// The last; the reason has at most 123 bytes.
    case close(WebSocketErrorCode, String)
}
