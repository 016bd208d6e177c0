import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// One accepted connection. Its first request decides what is spoken on it.
struct ControlConnection: ServerChildChannelValue {
    enum Spoken: Sendable {
        case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
        case webSocket(NIOAsyncChannel<SocketInput, SocketOutput>, ConnectHandshake)
    }

    let channel: any Channel
    let spoken: EventLoopFuture<Spoken>
}
