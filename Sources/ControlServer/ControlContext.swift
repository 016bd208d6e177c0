package import Hummingbird
package import NIOCore

/// What a handler knows of a request besides the request: its connection.
package struct ControlContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let channel: any Channel
    /// What a request to WHIP or WHEP may do; nil: nothing, it is a preflight.
    var grant: SessionGrant?

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// Numeric address of the client; nil where the connection has none.
    package var peerAddress: String? { channel.remoteAddress?.ipAddress }
}
