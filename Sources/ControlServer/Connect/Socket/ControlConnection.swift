import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// Accepted connection. Its first request decides its protocol.
struct ControlConnection: ServerChildChannelValue {
    enum Spoken: Sendable {
        case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
        case webSocket(NIOAsyncChannel<SocketInput, SocketOutput>, SocketHandshake)
    }

    let channel: any Channel
    let spoken: EventLoopFuture<Spoken>
}
