import Foundation
import NIOCore
import NIOPosix
import Signaling
import Testing

@testable import ControlServer

@Suite("Uploads that their clients abort", .serialized)
struct AbortedUploadTests {
    @Test(
        "an aborted upload counts as a malformed request of the client, not as an error of the relay",
        arguments: [true, false])
    func aborted(isReset: Bool) async throws {
        try await withEndpoints { _ in
        } make: { engine, configuration, bodies, logger in
            ControlServer(
                engine: engine, webRTC: engine, configuration: configuration, recorder: nil, bodies: bodies,
                parts: try ControlParts(bare: engine, logger: logger), logger: logger)
        } body: { server, http in
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: http.port).get()
            let text =
                "POST /whip/demo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sdp\r\n"
                + "Content-Length: 1000\r\n\r\nv=0\r\n"
            try await channel.writeAndFlush(ByteBuffer(string: text))
            try await eventually("it has arrived") { server.statistics.values.connections > 0 }
            await moment(.milliseconds(100))
            if isReset, let options = channel as? any SocketOptionProvider {
                try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            }
            try await channel.close()
            try await eventually("it is counted") {
                server.statistics.values.problems.values.reduce(0, +) > 0
            }
            let problems = server.statistics.values.problems
            // The HTTP parser may also report the end within a body.
            #expect(Set(problems.keys) == [.malformedRequest], "\(problems)")
        }
    }
}
