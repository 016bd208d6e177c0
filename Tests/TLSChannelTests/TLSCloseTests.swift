import MillraceTestKit
import NIOCore
import TLSChannel
import Testing

@Suite("The end of TLS connections") struct TLSCloseTests {
    @Test("close_notify of either side closes both without an error", arguments: [true, false])
    func close(byClient: Bool) throws {
        let pair = try TLSPair()
        try pair.exchange()
        let (first, second) = byClient ? (pair.client, pair.server) : (pair.server, pair.client)
        first.send([1])
        var isDone = false
        first.channel.close().assumeIsolated().whenSuccess { isDone = true }
        let write = first.send([2])
        #expect(throws: ChannelError.self) { try write.wait() }
        #expect(first.channel.isActive && !isDone)
        try pair.exchange()
        #expect(second.recorder.received == [1])
        #expect(isDone && first.recorder.isInactive && second.recorder.isInactive)
        #expect(first.recorder.errors.isEmpty && second.recorder.errors.isEmpty)
    }

    @Test("a channel closes after a second if the peer's close_notify does not come") func silent() throws {
        let pair = try TLSPair()
        try pair.exchange()
        var done = 0
        pair.client.channel.close().assumeIsolated().whenSuccess { done += 1 }
        pair.client.channel.close().assumeIsolated().whenSuccess { done += 1 }
        pair.client.advance(TLSHandler.closingTime - .milliseconds(1))
        #expect(pair.client.channel.isActive && done == 0)
        pair.client.advance(.milliseconds(1))
        #expect(!pair.client.channel.isActive && done == 2 && pair.client.recorder.errors.isEmpty)
    }

    @Test("a connection that ends without close_notify is an error, except after this end's close") func cut() throws {
        let pair = try TLSPair()
        pair.client.send([1])
        try pair.exchange()
        pair.server.cut()
        #expect(pair.server.recorder.failures == [.truncated] && pair.server.recorder.received == [1])
        var isDone = false
        pair.client.channel.close().assumeIsolated().whenSuccess { isDone = true }
        pair.client.cut()
        #expect(isDone && pair.client.recorder.errors.isEmpty)
    }

    @Test("the end of input without close_notify is an error") func endOfInput() throws {
        let pair = try TLSPair()
        try pair.exchange()
        pair.server.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(pair.server.recorder.failures == [.truncated] && pair.server.recorder.isInputClosed)
        let early = try TLSEnd.server()
        early.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(early.recorder.failures == [.closedDuringHandshake] && !early.channel.isActive)
    }

    @Test("a connection that ends in the handshake fails its writes") func early() throws {
        for end in [try TLSEnd.server(), try TLSEnd.client()] {
            let write = end.send([1])
            end.cut()
            #expect(end.recorder.failures == [.closedDuringHandshake])
            #expect(throws: TLSFailure.closedDuringHandshake) { try write.wait() }
            end.end()
        }
    }

    @Test("close in the handshake closes at once") func abandoned() throws {
        let end = try TLSEnd.client()
        let write = end.send([1])
        try end.channel.close().wait()
        #expect(!end.channel.isActive && end.recorder.errors.isEmpty)
        #expect(throws: ChannelError.self) { try write.wait() }
    }

    @Test("an end that closed its output still receives") func halfClosed() throws {
        let pair = try TLSPair()
        pair.server.channel.allowRemoteHalfClosure = true
        pair.client.send([1])
        pair.client.channel.close(mode: .output, promise: nil)
        try pair.exchange()
        #expect(pair.client.socket.isOutputClosed && pair.client.channel.isActive)
        #expect(pair.server.recorder.received == [1] && pair.server.recorder.isInputClosed)
        #expect(throws: ChannelError.outputClosed) { try pair.client.send([2]).wait() }
        pair.server.send([3, 4])
        try pair.exchange()
        #expect(pair.client.recorder.received == [3, 4])
        pair.server.channel.close(mode: .output, promise: nil)
        try pair.exchange()
        #expect(!pair.client.channel.isActive && !pair.server.channel.isActive)
        #expect(pair.client.recorder.errors.isEmpty && pair.server.recorder.errors.isEmpty)
    }
}
