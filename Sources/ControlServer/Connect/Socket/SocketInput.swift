import NIOCore
import NIOWebSocket

/// Input of a WebSocket, for its reader.
enum SocketInput: Sendable, Equatable {
    /// A message: valid UTF-8 of bounded size.
    case text(ByteBuffer)
    /// Last input: the client closed the WebSocket; nil: without a code.
    case closed(WebSocketErrorCode?)
    /// Last input: the client violated RFC 6455, and the relay closes the socket.
    case violated(WebSocketErrorCode, String)
}
