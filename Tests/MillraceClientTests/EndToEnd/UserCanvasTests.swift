import MediaBase
import MillraceClient
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Signaling
import TestMedia
import Testing

@Suite("SDK and relay: canvas of a user", .serialized) struct UserCanvasTests {
    /// Collects the bytes of an HTTP response.
    private final class Answer: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private let state = NIOLockedValueBox<(bytes: [UInt8], isOver: Bool)>(([], false))

        var bytes: [UInt8] { state.withLockedValue { $0.bytes } }
        var isOver: Bool { state.withLockedValue { $0.isOver } }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            state.withLockedValue { $0.bytes.append(contentsOf: buffer.readableBytesView) }
        }

        func channelInactive(context: ChannelHandlerContext) { state.withLockedValue { $0.isOver = true } }
    }

    private func eventually(_ what: String, _ condition: () -> Bool) async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        for _ in 0..<400 where !condition() {
            try await loop.scheduleTask(in: .milliseconds(50)) {}.futureResult.get()
        }
        let isMet = condition()
        #expect(isMet, "\(what) did not happen in 20 s")
    }

    @Test("USR-11 the canvas of a user continues when the user replaces the stream", .timeLimit(.minutes(2)))
    func follows() async throws {
        try await RelayUnderTest.run { relay in
            let call = try await relay.call()
            let (ada, bob) = (call.ada, call.bob)
            let user = try #require(ada.connection)
            let frames = bob.canvas(of: user).frames(limit: 50)
            // Before its first packet the stream has no video to request.
            _ = await first(of: frames, "a frame") { _ in true }
            let answer = Answer()
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer { $0.pipeline.addHandler(answer) }
                .connect(host: "127.0.0.1", port: relay.port).get()
            let request =
                "GET /v1/sessions/room/participants/\(user)/canvas.y4m?rate=15 HTTP/1.1\r\n"
                + "Host: 127.0.0.1:\(relay.port)\r\nConnection: close\r\n\r\n"
            try await channel.writeAndFlush(ByteBuffer(string: request))
            let before = await first(of: frames, "a frame of the first stream") { frame -> UInt32? in
                FrameBar.read(from: frame).flatMap { $0.counter > 90 ? $0.counter : nil }
            }
            let frame = TestSource.width * TestSource.height * 3 / 2
            try await eventually("frames over HTTP") { answer.bytes.count > 3 * frame }

            try await ada.unpublish(call.publisher)
            let second = Publisher(TestSource.settings)
            let stream = try await ada.publish(second)
            #expect(stream != call.stream)
            let source = TestSource(second)
            _ = try await SessionMediaTests.subscribe(bob, to: stream)
            // The second source counts from 1 again; 80 of its frames leave 5 s for the subscription.
            let after = await first(of: frames, "a frame of the second stream") { frame -> UInt32? in
                FrameBar.read(from: frame).flatMap { $0.counter < 80 ? $0.counter : nil }
            }
            #expect((before ?? 0) > (after ?? .max))
            let count = answer.bytes.count
            try await eventually("frames of the second stream over HTTP") { answer.bytes.count > count + 5 * frame }
            #expect(!answer.isOver)
            let bytes = answer.bytes
            let magic = Array("YUV4MPEG2".utf8)
            let headers = bytes.indices.count { bytes[$0] == magic[0] && bytes[$0...].starts(with: magic) }
            #expect(headers == 1)
            let statistics = await bob.statistics(of: user)
            #expect(Array(statistics.keys) == [stream])
            #expect((statistics[stream]?.framesDecoded ?? 0) > 0 && statistics[stream]?.width == TestSource.width)
            #expect(await bob.statistics(of: try #require(bob.connection)).isEmpty, "no streams of its own")

            // The canvas ends when the user has left.
            await ada.disconnect()
            try await eventually("the end of the body") { answer.isOver }
            _ = (call.source, source)
            await bob.disconnect()
        }
    }
}
