import NIOCore
import NIOPosix
import TLSChannel

/// Client side of links: sends requests and WebSockets to the link listener of another relay, over mutual TLS, with one TCP connection for
/// each.
///
/// ```swift
/// let caller = LinkCaller(try LinkIdentity())
/// let response = try await caller.send(request, body: body, to: home)
/// for try await part in response.body { try await writer.write(part) }
/// ```
package struct LinkCaller: Sendable {
    let settings: LinkSettings
    private let contexts: LinkContexts

    /// - Parameter identity: certificate that the other relays know this relay by.
    package init(_ identity: LinkIdentity, settings: LinkSettings = LinkSettings()) {
        self.settings = settings
        contexts = LinkContexts(identity, limit: settings.contexts)
    }

    /// Connects to a relay. The handshake goes on when this function returns.
    /// - Parameter prepare: adds the handlers behind TLS; called on the channel's event loop.
    func dial<Output: Sendable>(
        _ target: LinkTarget, _ prepare: @escaping @Sendable (any Channel) throws -> Output
    ) async throws(LinkError) -> Output {
        let context = try contexts.context(of: target.fingerprint)
        let connectTime = TimeAmount(settings.connectTime)
        do {
            return try await LinkSocketOptions.apply(to: ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton))
                .connectTimeout(connectTime)
                .connect(host: target.address.host, port: target.address.port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            TLSHandler(client: context, host: target.address.host, handshakeTime: connectTime))
                        return try prepare(channel)
                    }
                }
        } catch {
            let last = (error as? NIOConnectionError)?.connectionErrors.last?.error
            throw .connect("\(target.address.text): \(last ?? error)")
        }
    }
}
