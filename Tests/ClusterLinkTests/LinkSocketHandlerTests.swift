import NIOCore
import NIOEmbedded
import NIOWebSocket
import Testing

@testable import ClusterLink

@Suite("Messages of WebSockets over links", .timeLimit(.minutes(1))) struct LinkSocketHandlerTests {
    /// WebSocket without a connection.
    private struct Line {
        let channel = NIOAsyncTestingChannel()
        let reads = ReadCounter()
        let socket: LinkSocket

        init(_ settings: LinkSettings = LinkSettings(), holder: WriteHolder? = nil) async throws {
            let (channel, reads) = (channel, reads)
            socket = try await channel.testingEventLoop.executeInContext {
                try channel.pipeline.syncOperations.addHandler(reads)
                if let holder { try channel.pipeline.syncOperations.addHandler(holder) }
                return try LinkCaller.socket(channel, settings)
            }
            try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        }

        func receive(_ opcode: WebSocketOpcode, _ text: String = "", fin: Bool = true) async throws {
            try await channel.writeInbound(
                WebSocketFrame(fin: fin, opcode: opcode, data: ByteBuffer(string: text)))
        }

        func receiveClose(_ code: WebSocketErrorCode, _ reason: String) async throws {
            var data = ByteBuffer()
            data.write(webSocketErrorCode: code)
            data.writeString(reason)
            try await channel.writeInbound(WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
        }

        /// Returns the next frame that was sent.
        func sent() async throws -> WebSocketFrame { try await channel.waitForOutboundWrite(as: WebSocketFrame.self) }

        /// Completes the writes that a holder has.
        func release(_ holder: WriteHolder) async {
            try? await channel.testingEventLoop.executeInContext { holder.release() }
        }

        func advance(_ time: TimeAmount) async { await channel.testingEventLoop.advanceTime(by: time) }
    }

    @Test("a peer is pinged each interval, and lost after three silent ones") func silence() async throws {
        let line = try await Line()
        for _ in 0..<2 {
            await line.advance(.seconds(5))
            #expect(try await line.sent().opcode == .ping)
        }
        // Any input counts.
        try await line.receive(.pong)
        for _ in 0..<3 {
            await line.advance(.seconds(5))
            #expect(try await line.sent().opcode == .ping && line.channel.isActive)
        }
        await line.advance(.seconds(5))
        #expect(!line.channel.isActive)
        var input = line.socket.input.makeAsyncIterator()
        await #expect(throws: LinkError.self) { try await input.next() }
    }

    @Test("a peer is not lost, and reading stops, while the reader is behind") func backpressure() async throws {
        let line = try await Line()
        for _ in 0..<LinkCaller.messageQueue.high { try await line.receive(.text, "a") }
        line.channel.read()
        await line.channel.testingEventLoop.run()
        #expect(line.reads.count == 0)
        await line.advance(.hours(1))
        #expect(line.channel.isActive)
        var input = line.socket.input.makeAsyncIterator()
        for _ in 0..<LinkCaller.messageQueue.high { #expect(try await input.next() == .text(ByteBuffer(string: "a"))) }
        await line.channel.testingEventLoop.run()
        #expect(line.reads.count == 1)
        await line.advance(.seconds(20))
        #expect(!line.channel.isActive)
    }

    @Test("a ping is answered with its payload, masked") func pong() async throws {
        let line = try await Line()
        try await line.receive(.ping, "p")
        let frame = try await line.sent()
        #expect(frame.opcode == .pong && frame.maskKey != nil && frame.data == ByteBuffer(string: "p"))
    }

    @Test("texts are sent masked, and `send` returns when they are written") func text() async throws {
        let line = try await Line()
        try await line.socket.send(ByteBuffer(string: "hello"))
        let frame = try await line.sent()
        #expect(frame.fin && frame.opcode == .text && frame.maskKey != nil)
        #expect(frame.data == ByteBuffer(string: "hello"))
    }

    @Test("`send` waits until the kernel takes the text, or its task is cancelled", arguments: [true, false])
    func waits(isCancelled: Bool) async throws {
        let holder = WriteHolder()
        let line = try await Line(holder: holder)
        let sending = Task { try await line.socket.send(ByteBuffer(string: "hello")) }
        for await frame in holder.arrivals {
            #expect(frame.data == ByteBuffer(string: "hello"))
            break
        }
        if isCancelled {
            sending.cancel()
            await #expect(throws: LinkError.self) { try await sending.value }
            // The text may still be taken.
            await line.release(holder)
        } else {
            await line.release(holder)
            try await sending.value
        }
        #expect(line.channel.isActive)
    }

    @Test("a peer that pings and does not read gets an answer to its newest ping") func manyPings() async throws {
        let holder = WriteHolder()
        let line = try await Line(holder: holder)
        for text in ["1", "2", "3"] { try await line.receive(.ping, text) }
        #expect(holder.frames.map { String(buffer: $0.data) } == ["1"])
        await line.release(holder)
        #expect(holder.frames.map { String(buffer: $0.data) } == ["1", "3"])
        await line.release(holder)
        #expect(holder.frames.count == 2 && holder.frames.allSatisfy { $0.opcode == .pong })
    }

    @Test("a peer that does not read gets no further pings") func unwrittenPing() async throws {
        let holder = WriteHolder()
        let line = try await Line(holder: holder)
        for _ in 0..<5 {
            await line.advance(.seconds(5))
            try await line.receive(.pong)
        }
        #expect(holder.frames.map(\.opcode) == [.ping])
        await line.release(holder)
        await line.advance(.seconds(5))
        #expect(holder.frames.map(\.opcode) == [.ping, .ping])
    }

    @Test("a message of too many fragments or bytes closes the socket with its code", arguments: [true, false])
    func tooLarge(manyBytes: Bool) async throws {
        var settings = LinkSettings()
        settings.messageBytes = 10
        settings.messageFragments = 4
        let line = try await Line(settings)
        let (text, count) = manyBytes ? ("123456", 2) : ("1", 4)
        for index in 0..<count {
            // The testing channel reports the error as well.
            try? await line.receive(index == 0 ? .text : .continuation, text, fin: false)
        }
        let frame = try await line.sent()
        var data = frame.data
        #expect(frame.opcode == .connectionClose)
        #expect(data.readWebSocketErrorCode() == (manyBytes ? .messageTooLarge : .protocolError))
        var input = line.socket.input.makeAsyncIterator()
        await #expect(throws: LinkError.self) { try await input.next() }
        await line.advance(.seconds(2))
        #expect(!line.channel.isActive)
    }

    @Test("binary messages close the socket") func binary() async throws {
        let line = try await Line()
        try await line.receive(.binary, "b")
        var data = try await line.sent().data
        #expect(data.readWebSocketErrorCode() == .unacceptableData)
    }

    @Test("the peer's close is answered, delivered once, and ends the connection") func closedByPeer() async throws {
        let line = try await Line()
        try await line.receive(.text, "a")
        try await line.receiveClose(.policyViolation, "removed")
        let frame = try await line.sent()
        var data = frame.data
        #expect(frame.opcode == .connectionClose && data.readWebSocketErrorCode() == .policyViolation)
        var inputs: [LinkSocketInput] = []
        for try await input in line.socket.input { inputs.append(input) }
        #expect(inputs == [.text(ByteBuffer(string: "a")), .closed(.policyViolation, reason: "removed")])
        #expect(!line.channel.isActive)
    }

    @Test("a close frame without a code is delivered without one") func noCode() async throws {
        let line = try await Line()
        try await line.receive(.connectionClose)
        var input = line.socket.input.makeAsyncIterator()
        #expect(try await input.next() == .closed(nil, reason: ""))
        #expect(try await input.next() == nil)
    }

    @Test("the reason of a close frame is cut to 123 bytes of whole characters") func reason() async throws {
        let line = try await Line()
        line.socket.close(.init(codeNumber: 4_001), String(repeating: "ä", count: 100))
        var data = try await line.sent().data
        #expect(data.readWebSocketErrorCode() == .init(codeNumber: 4_001))
        #expect(String(buffer: data) == String(repeating: "ä", count: 61))
    }

    @Test("after this side's close only the peer's is awaited, for two seconds") func closedHere() async throws {
        let line = try await Line()
        for _ in 0..<LinkCaller.messageQueue.high { try await line.receive(.text, "a") }
        line.channel.read()
        line.socket.close(.normalClosure)
        #expect(try await line.sent().opcode == .connectionClose)
        // Reading goes on for the peer's answer, although the reader is behind.
        #expect(line.reads.count == 1)
        try await line.receive(.text, "late")
        await line.advance(.seconds(2) - .milliseconds(1))
        #expect(line.channel.isActive)
        await line.advance(.milliseconds(1))
        #expect(!line.channel.isActive)
        var count = 0
        for try await _ in line.socket.input { count += 1 }
        #expect(count == LinkCaller.messageQueue.high)
        await #expect(throws: LinkError.self) { try await line.socket.send(ByteBuffer(string: "b")) }
    }

    @Test("a connection that is cut is an error after all messages") func cut() async throws {
        let line = try await Line()
        try await line.receive(.text, "a")
        line.channel.close(promise: nil)
        var input = line.socket.input.makeAsyncIterator()
        #expect(try await input.next() == .text(ByteBuffer(string: "a")))
        await #expect(throws: LinkError.self) { try await input.next() }
    }
}
