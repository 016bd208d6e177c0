import Cluster
import ClusterLink
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import TLSChannel
import Testing

@Suite("Requests over links", .timeLimit(.minutes(1))) struct LinkCallerTests {
    private let caller = LinkCaller(Identities.edge, settings: .patient)

    private func request(_ method: HTTPRequest.Method = .get, _ path: String = "/whep/a?b=c") -> HTTPRequest {
        HTTPRequest(method: method, scheme: "https", authority: "edge.example", path: path)
    }

    private func failure(_ relay: RelayDescription, as identity: LinkIdentity = Identities.edge) async -> LinkError? {
        do throws(LinkError) {
            _ = try await LinkCaller(identity, settings: .patient).send(request(), to: relay)
            return nil
        } catch {
            return error
        }
    }

    @Test("a streamed body arrives whole, and the response comes back without interim responses")
    func echo() async throws {
        let home = try await HomeRelay { channel in
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: false)
            try channel.pipeline.syncOperations.addHandler(EchoResponder())
        }
        let (body, parts) = AsyncStream.makeStream(of: ByteBuffer.self)
        for number in UInt8(0)..<20 { parts.yield(ByteBuffer(repeating: number, count: 100_000)) }
        parts.finish()
        let response = try await caller.send(request(.post), body: body, to: home.description)
        #expect(response.head.status == .created && response.head.headerFields[.location] == "/whep/a?b=c")
        let names = response.head.headerFields.map(\.name.canonicalName)
        #expect(!names.contains("keep-alive") && !names.contains("transfer-encoding"))
        #expect(response.head.headerFields.contains { $0.name.canonicalName == "x-host" && $0.value == "edge.example" })
        var received = ByteBuffer()
        for try await part in response.body { received.writeImmutableBuffer(part) }
        let sent = (UInt8(0)..<20).flatMap { [UInt8](repeating: $0, count: 100_000) }
        #expect(Array(received.readableBytesView) == sent)
        try await home.close()
    }

    @Test(
        "an endless response ends at the home relay when its reader is cancelled or goes away",
        arguments: [true, false])
    func endless(isCancelled: Bool) async throws {
        let ended = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
        let home = try await HomeRelay { channel in
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: false)
            try channel.pipeline.syncOperations.addHandler(EndlessResponder(ended))
        }
        let (progress, report) = AsyncStream.makeStream(of: Int.self)
        let response = try await caller.send(request(), to: home.description)
        let reader = Task {
            var count = 0
            for try await part in response.body {
                count += part.readableBytes
                if count > 8 << 20 {
                    report.yield(count)
                    if !isCancelled { return }
                }
            }
        }
        for await _ in progress { break }
        if isCancelled { reader.cancel() }
        try await ended.futureResult.get()
        _ = await reader.result
        try await home.close()
    }

    @Test("a response that nobody reads ends at the home relay") func unread() async throws {
        let ended = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
        let home = try await HomeRelay { channel in
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: false)
            try channel.pipeline.syncOperations.addHandler(EndlessResponder(ended))
        }
        let status = try await caller.send(request(), to: home.description).head.status
        #expect(status == .ok)
        try await ended.futureResult.get()
        try await home.close()
    }

    @Test("a response that the home relay cuts ends with an error after all that arrived") func cut() async throws {
        let ended = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
        let home = try await HomeRelay { channel in
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: false)
            try channel.pipeline.syncOperations.addHandler(EndlessResponder(ended, limit: 1 << 20))
        }
        let response = try await caller.send(request(), to: home.description)
        var count = 0
        await #expect(throws: LinkError.self) {
            for try await part in response.body { count += part.readableBytes }
        }
        #expect(count == 1 << 20)
        try await home.close()
    }

    @Test("a relay with another certificate than in the table is not asked") func wrongHome() async throws {
        let home = try await HomeRelay { _ in }
        var relay = home.description
        relay.fingerprint = Identities.stranger.fingerprint
        guard case .connect(let reason) = await failure(relay) else {
            Issue.record("accepted")
            return
        }
        #expect(reason == "\(TLSFailure.unknownPeer)")
        for await failure in home.failures {
            guard case .alert = failure else {
                Issue.record("\(failure)")
                return
            }
            break
        }
        try await home.close()
    }

    @Test("a relay that is not in the table is refused, and learns that it was not connected")
    func wrongEdge() async throws {
        let home = try await HomeRelay { _ in }
        guard case .connect(let reason) = await failure(home.description, as: Identities.stranger) else {
            Issue.record("accepted")
            return
        }
        #expect(reason.contains("alert"))
        for await failure in home.failures {
            #expect(failure == .unknownPeer)
            break
        }
        try await home.close()
    }

    @Test("a cancelled request ends at the home relay") func cancelled() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let (asked, ended) = (loop.makePromise(of: Void.self), loop.makePromise(of: Void.self))
        let home = try await HomeRelay { channel in
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: false)
            try channel.pipeline.syncOperations.addHandler(MuteResponder(asked: asked, ended: ended))
        }
        let task = Task { await failure(home.description) }
        try await asked.futureResult.get()
        task.cancel()
        try await ended.futureResult.get()
        guard case .broken = await task.value else {
            Issue.record("not cancelled")
            return
        }
        try await home.close()
    }

    @Test("a port on which nothing listens is an error at once") func refused() async throws {
        let home = try await HomeRelay { _ in }
        try await home.close()
        guard case .connect = await failure(home.description) else {
            Issue.record("connected")
            return
        }
    }
}
