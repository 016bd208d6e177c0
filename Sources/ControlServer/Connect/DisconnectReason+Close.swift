import NIOWebSocket
import Signaling

extension DisconnectReason {
    /// Close code of the WebSocket; the close reason is the raw value of this enum.
    var closeCode: WebSocketErrorCode {
        switch self {
        case .left, .removed, .sessionEnded, .networkLost, .tokenExpired: .normalClosure
        case .slowConsumer, .protocolViolation: .policyViolation
        case .relayShutdown: .goingAway
        }
    }
}
