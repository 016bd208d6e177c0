import NIOCore
import NIOWebSocket

/// Reassembles messages from frames and checks them against RFC 6455. Returns the next step; does no I/O itself.
struct WebSocketReassembly {
    enum Step: Equatable {
        case nothing
        case message(ByteBuffer)
        case pong(ByteBuffer)
        /// The client closed the WebSocket; nil: without a code.
        case closedByPeer(WebSocketErrorCode?)
        /// The client violated the protocol: close with this code and reason.
        case violation(WebSocketErrorCode, String)
    }

    /// Maximum number of fragments of one message. A client has no reason for more than a few.
    static let maximumFragments = 64

    /// Maximum size of one message, reassembled.
    let maximumBytes: Int
    private var partial: ByteBuffer?
    private var fragments = 0

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    mutating func receive(_ frame: WebSocketFrame) -> Step {
        guard frame.maskKey != nil else { return .violation(.protocolError, "a client must mask its frames") }
        guard !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            return .violation(.protocolError, "no extension was negotiated")
        }
        switch frame.opcode {
        case .text:
            guard partial == nil else { return .violation(.protocolError, "a message began within another") }
            return frame.fin ? finish(frame.unmaskedData) : begin(frame.unmaskedData)
        case .continuation: return append(frame)
        case .binary: return .violation(.unacceptableData, "messages must be text")
        case .ping: return .pong(frame.unmaskedData)
        case .pong: return .nothing
        case .connectionClose: return close(frame.unmaskedData)
        default: return .violation(.protocolError, "the frame has an unknown opcode")
        }
    }

    private mutating func begin(_ data: ByteBuffer) -> Step {
        guard data.readableBytes <= maximumBytes else { return tooLarge }
        partial = data
        fragments = 1
        return .nothing
    }

    private mutating func append(_ frame: WebSocketFrame) -> Step {
        guard var whole = partial else { return .violation(.protocolError, "a continuation without a message") }
        partial = nil
        var data = frame.unmaskedData
        guard whole.readableBytes + data.readableBytes <= maximumBytes else { return tooLarge }
        fragments += 1
        guard fragments <= Self.maximumFragments else {
            return .violation(.policyViolation, "a message has at most \(Self.maximumFragments) fragments")
        }
        whole.writeBuffer(&data)
        if frame.fin { return finish(whole) }
        partial = whole
        return .nothing
    }

    private func finish(_ data: ByteBuffer) -> Step {
        guard data.readableBytes <= maximumBytes else { return tooLarge }
        guard Self.isUTF8(data) else { return .violation(.dataInconsistentWithMessage, "text must be UTF-8") }
        return .message(data)
    }

    private var tooLarge: Step { .violation(.messageTooLarge, "a message has at most \(maximumBytes) bytes") }

    /// Parses a close frame (RFC 6455 section 5.5.1): empty, or a code and a reason in UTF-8.
    private func close(_ data: ByteBuffer) -> Step {
        var data = data
        guard data.readableBytes > 0 else { return .closedByPeer(nil) }
        guard let number = data.readInteger(as: UInt16.self) else {
            return .violation(.protocolError, "a close code has two bytes")
        }
        switch number {
        case 1000...1003, 1007...1014, 3000...4999: break
        default: return .violation(.protocolError, "\(number) is not a valid close code")
        }
        guard Self.isUTF8(data) else { return .violation(.dataInconsistentWithMessage, "a close reason must be UTF-8") }
        return .closedByPeer(WebSocketErrorCode(codeNumber: Int(number)))
    }

    private static func isUTF8(_ data: ByteBuffer) -> Bool {
        data.withUnsafeReadableBytes { String(validating: $0, as: UTF8.self) != nil }
    }
}
