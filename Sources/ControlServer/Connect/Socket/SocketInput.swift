import NIOCore
import NIOWebSocket

/// What a connection's reader gets of its WebSocket.
enum SocketInput: Sendable, Equatable {
    /// One message: UTF-8, bounded.
    case text(ByteBuffer)
    /// The last: the client closed; nil: without a code.
    case closed(WebSocketErrorCode?)
    /// The last: the client broke a rule of RFC 6455 and the socket is being closed for it.
    case violated(WebSocketErrorCode, String)
}
