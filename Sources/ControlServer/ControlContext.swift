package import Hummingbird
package import NIOCore

/// What a handler knows of a request besides the request: its connection.
package struct ControlContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let channel: any Channel
    /// Of a session token that the request showed.
    var grant: SessionGrant?

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// Numeric address of the client; nil where the connection has none.
    package var peerAddress: String? { channel.remoteAddress?.ipAddress }
}
