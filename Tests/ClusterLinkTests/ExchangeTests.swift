import Cluster
import HTTPTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import ClusterLink

@Suite("Exchanges over a link", .timeLimit(.minutes(1))) struct ExchangeTests {
    /// Connection to the home relay, without TLS and without a socket.
    private struct Line {
        let channel = NIOAsyncTestingChannel()
        let reads = ReadCounter()
        let head: EventLoopFuture<HTTPResponse>
        let body: LinkSequence<ByteBuffer>

        init(headTime: Duration = .seconds(30)) async throws {
            let (channel, reads) = (channel, reads)
            (head, body) = try await channel.testingEventLoop.executeInContext {
                try channel.pipeline.syncOperations.addHandler(reads)
                return try LinkCaller.addHandlers(to: channel, headTime: headTime)
            }
            try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        }

        /// Returns what is sent next, up to and including a text.
        func sent(until end: String) async throws -> String {
            var text = ""
            while !text.hasSuffix(end) {
                text += String(buffer: try await channel.waitForOutboundWrite(as: ByteBuffer.self))
            }
            return text
        }

        func receive(_ text: String) async throws { try await channel.writeInbound(ByteBuffer(string: text)) }

        func exchange<Body: AsyncSequence & Sendable>(
            _ request: HTTPRequest, _ body: Body
        ) async throws -> HTTPResponse where Body.Element == ByteBuffer {
            try await LinkCaller.exchange(request, body, head, over: channel)
        }
    }

    private let request = HTTPRequest(method: .post, scheme: "https", authority: "home", path: "/a")
    private let none = AsyncStream<ByteBuffer> { $0.finish() }

    @Test("the body goes up part by part, and the response's comes down part by part") func parts() async throws {
        let line = try await Line()
        let (body, parts) = AsyncStream.makeStream(of: ByteBuffer.self)
        async let answer = line.exchange(request, body)
        let head = try await line.sent(until: "\r\n\r\n")
        #expect(head.lowercased() == "post /a http/1.1\r\nhost: home\r\ntransfer-encoding: chunked\r\n\r\n")
        parts.yield(ByteBuffer(string: "abc"))
        #expect(try await line.sent(until: "abc\r\n") == "3\r\nabc\r\n")
        parts.yield(ByteBuffer(string: "de"))
        #expect(try await line.sent(until: "de\r\n") == "2\r\nde\r\n")
        parts.finish()
        #expect(try await line.sent(until: "\r\n\r\n") == "0\r\n\r\n")
        try await line.receive("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(try await answer.status == .ok)
        var reader = line.body.makeAsyncIterator()
        try await line.receive("2\r\nxy\r\n")
        #expect(try await reader.next() == ByteBuffer(string: "xy"))
        try await line.receive("1\r\nz\r\n0\r\n\r\n")
        #expect(try await reader.next() == ByteBuffer(string: "z"))
        #expect(try await reader.next() == nil && !line.channel.isActive)
    }

    @Test("the time until the head counts from the end of the request") func late() async throws {
        let line = try await Line(headTime: .seconds(30))
        let (body, parts) = AsyncStream.makeStream(of: ByteBuffer.self)
        async let answer = line.exchange(request, body)
        _ = try await line.sent(until: "\r\n\r\n")
        await line.channel.testingEventLoop.advanceTime(by: .hours(1))
        #expect(line.channel.isActive)
        parts.finish()
        _ = try await line.sent(until: "0\r\n\r\n")
        await line.channel.testingEventLoop.advanceTime(by: .seconds(30) - .milliseconds(1))
        #expect(line.channel.isActive)
        await line.channel.testingEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!line.channel.isActive)
        do {
            _ = try await answer
            Issue.record("answered")
        } catch LinkError.timeout {}
    }

    @Test("reading stops while the reader of the body is behind") func backpressure() async throws {
        let line = try await Line()
        async let answer = line.exchange(request, none)
        _ = try await line.sent(until: "0\r\n\r\n")
        try await line.receive("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        _ = try await answer
        line.channel.read()
        await line.channel.testingEventLoop.run()
        let before = line.reads.count
        #expect(before > 0)
        for _ in 0..<LinkCaller.bodyQueue.high { try await line.receive("1\r\nx\r\n") }
        line.channel.read()
        await line.channel.testingEventLoop.run()
        #expect(line.reads.count == before)
        var reader = line.body.makeAsyncIterator()
        for _ in 0..<LinkCaller.bodyQueue.high { #expect(try await reader.next() == ByteBuffer(string: "x")) }
        await line.channel.testingEventLoop.run()
        #expect(line.reads.count == before + 1)
    }

    @Test("a response that ends early is an error after all its parts") func truncated() async throws {
        let line = try await Line()
        async let answer = line.exchange(request, none)
        _ = try await line.sent(until: "0\r\n\r\n")
        try await line.receive("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
        _ = try await answer
        line.channel.close(promise: nil)
        var reader = line.body.makeAsyncIterator()
        #expect(try await reader.next() == ByteBuffer(string: "abc"))
        await #expect(throws: LinkError.self) { try await reader.next() }
    }

    @Test("a response before the end of the request ends the reading of its body") func early() async throws {
        let line = try await Line()
        let (body, parts) = AsyncStream.makeStream(of: ByteBuffer.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        parts.onTermination = { _ in end.yield() }
        async let answer = line.exchange(request, body)
        _ = try await line.sent(until: "\r\n\r\n")
        try await line.receive("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\n{}")
        #expect(try await answer.status == .contentTooLarge)
        for await _ in ends { break }
        var reader = line.body.makeAsyncIterator()
        #expect(try await reader.next() == ByteBuffer(string: "{}"))
        #expect(try await reader.next() == nil)
        // The request was not completed.
        #expect(try await line.channel.readOutbound(as: ByteBuffer.self) == nil)
    }

    @Test("a body that cannot be delimited is an error") func unframed() async throws {
        let line = try await Line()
        let body = AsyncStream<ByteBuffer> {
            $0.yield(ByteBuffer(string: "GET / HTTP/1.1"))
            $0.finish()
        }
        let request = HTTPRequest(method: .get, scheme: "https", authority: "home", path: "/a")
        async let answer = line.exchange(request, body)
        #expect(!(try await line.sent(until: "\r\n\r\n")).contains("GET / "))
        do {
            _ = try await answer
            Issue.record("answered")
        } catch is LinkError {}
        try await line.channel.closeFuture.get()
    }

    @Test("a body that fails ends the connection before the end of the request") func failingBody() async throws {
        struct Left: Error {}
        let line = try await Line()
        let (body, parts) = AsyncThrowingStream.makeStream(of: ByteBuffer.self)
        async let answer = line.exchange(request, body)
        _ = try await line.sent(until: "\r\n\r\n")
        parts.finish(throwing: Left())
        do {
            _ = try await answer
            Issue.record("answered")
        } catch LinkError.broken(let reason) {
            #expect(reason.hasSuffix("Left()"))
        }
        try await line.channel.closeFuture.get()
        #expect(try await line.channel.readOutbound(as: ByteBuffer.self) == nil)
    }

    @Test("bytes that are no HTTP response are an error") func noHTTP() async throws {
        let line = try await Line()
        async let answer = line.exchange(request, none)
        _ = try await line.sent(until: "0\r\n\r\n")
        try? await line.receive("SSH-2.0-OpenSSH_9.2\r\n\r\n")
        do {
            _ = try await answer
            Issue.record("answered")
        } catch LinkError.broken {}
        try await line.channel.closeFuture.get()
    }

    @Test("fields of the connection do not pass a link") func fields() {
        var fields = HTTPFields()
        for (name, value) in [
            ("Connection", "close, X-Hop"), ("X-Hop", "1"), ("Transfer-Encoding", "chunked"), ("Keep-Alive", "5"),
            ("TE", "trailers"), ("Upgrade", "websocket"), ("Authorization", "Bearer t"), ("Link", "</a>"),
            ("Link", "</b>"), ("Sec-WebSocket-Key", "k"), ("Sec-WebSocket-Protocol", "millrace.v1"),
            ("Content-Length", "5"), ("Expect", "100-continue"),
        ] {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        #expect(
            fields.withoutConnection().map(\.name.canonicalName) == [
                "authorization", "link", "link", "sec-websocket-key", "sec-websocket-protocol", "content-length",
            ])
        #expect(
            fields.withoutSocket().map(\.name.canonicalName) == [
                "authorization", "link", "link", "sec-websocket-protocol",
            ])
    }

    @Test("a client cannot remove or replace the fields of the relay") func ownFields() throws {
        let (client, other) = (try #require(HTTPField.Name("X-Client")), try #require(HTTPField.Name("X-Other")))
        var request = request
        request.headerFields = [.connection: "X-Client, X-Other", client: "forged", other: "1"]
        let relay = RelayDescription(
            id: RelayID(rawValue: "b"), link: "192.0.2.1:7881", fingerprint: "", region: "", version: "", linkVersion: 2
        )
        let framed = LinkCaller.framed(request, [client: "192.0.2.7"], relay)
        #expect(framed.headerFields[values: client] == ["192.0.2.7"])
        #expect(framed.headerFields[other] == nil && framed.headerFields[.connection] == "close")
    }
}
