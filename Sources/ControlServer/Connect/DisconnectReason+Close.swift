import NIOWebSocket
import Signaling

extension DisconnectReason {
    /// What the WebSocket is closed with; its reason is the code's name.
    var closeCode: WebSocketErrorCode {
        switch self {
        case .left, .removed, .sessionEnded, .networkLost, .tokenExpired: .normalClosure
        case .slowConsumer, .protocolViolation: .policyViolation
        case .relayShutdown: .goingAway
        }
    }
}
