package import Hummingbird
package import NIOCore

/// Context of a request: its connection and its permissions.
package struct ControlContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let channel: any Channel
    /// Permissions of a WHIP or WHEP request; nil for a preflight, which has none.
    var grant: SessionGrant?

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// Numeric address of the client; nil if the connection has none.
    package var peerAddress: String? { channel.remoteAddress?.ipAddress }
}
