import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// Reads a response that stays open, such as an event stream.
final class EventStreamReader: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var hasEnded = false
    }

    private let state: NIOLockedValueBox<State>
    private let channel: any Channel

    var text: String { String(decoding: state.withLockedValue { $0.bytes }, as: UTF8.self) }
    var hasEnded: Bool { state.withLockedValue { $0.hasEnded } }

    /// Names of the events received so far.
    var events: [String] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            line.hasPrefix("event: ") ? String(line.dropFirst(7)) : nil
        }
    }

    init(port: Int, path: String) async throws {
        let state = NIOLockedValueBox(State())
        self.state = state
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Receiver(state))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await channel.writeAndFlush(
            ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
    }

    func close() async { try? await channel.close() }

    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let state: NIOLockedValueBox<State>

        init(_ state: NIOLockedValueBox<State>) { self.state = state }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            state.withLockedValue { $0.bytes += bytes.readableBytesView }
        }

        func channelInactive(context: ChannelHandlerContext) { state.withLockedValue { $0.hasEnded = true } }
    }
}
