import Cluster
import ClusterLink
import NIOCore
import NIOPosix
import TLSChannel

/// Link listener on the loopback interface, which accepts `Identities.edge` alone.
final class HomeRelay: Sendable {
    private let listener: any Channel
    let description: RelayDescription
    /// Failures of the server's side of TLS, in order.
    let failures: AsyncStream<TLSFailure>

    /// - Parameter prepare: adds the handlers behind TLS.
    init(_ prepare: @escaping @Sendable (any Channel) throws -> Void) async throws {
        let edge = Identities.edge.fingerprint
        let context = try Identities.home.server { $0 == edge }
        let (failures, continuation) = AsyncStream.makeStream(of: TLSFailure.self)
        self.failures = failures
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(TLSHandler(server: context))
                    try channel.pipeline.syncOperations.addHandler(FailureRecorder(continuation))
                    try prepare(channel)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        description = .local(listener.localAddress?.port ?? 0)
    }

    func close() async throws { try await listener.close() }

    private final class FailureRecorder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let failures: AsyncStream<TLSFailure>.Continuation

        init(_ failures: AsyncStream<TLSFailure>.Continuation) { self.failures = failures }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if let failure = error as? TLSFailure { failures.yield(failure) }
            context.fireErrorCaught(error)
        }
    }
}
