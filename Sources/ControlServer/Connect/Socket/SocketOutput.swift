import NIOCore
import NIOWebSocket

/// Output of a WebSocket.
enum SocketOutput: Sendable {
    case text(ByteBuffer)
    /// Last output; the reason has at most 123 bytes.
    case close(WebSocketErrorCode, String)
}
