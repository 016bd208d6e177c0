import Cluster
package import Hummingbird
package import NIOCore

/// Context of a request: its connection and its permissions.
package struct ControlContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let channel: any Channel
    /// Permissions of a WHIP or WHEP request; nil for a preflight, which has none.
    var grant: SessionGrant?
    /// Client for which another relay of the cluster asks; nil for a client of this relay.
    var proxied: ProxiedClient?
    /// Relay that proxies the client's request, if it can have the client's media.
    var edge: RelayIdentity?

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// Numeric address of the client; nil if the connection has none.
    package var peerAddress: String? { proxied?.address ?? channel.remoteAddress?.ipAddress }

    /// Address key of the client, for limits that are counted per address.
    var addressGroup: String { proxied?.addressGroup ?? ClientAddress.group(of: channel.remoteAddress) }
}
