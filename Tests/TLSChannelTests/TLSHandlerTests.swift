import MillraceTestKit
import NIOCore
import Testing

@testable import TLSChannel

@Suite("TLS connections") struct TLSHandlerTests {
    @Test(
        "a client accepts a server's certificate under each of its names",
        arguments: ["relay.example", "RELAY.example", "relay.example.", "a.wild.example", "127.0.0.1", "::1"])
    func names(host: String) throws {
        let pair = try TLSPair(.client(host))
        pair.client.send([1, 2, 3])
        try pair.exchange()
        pair.server.send([4, 5])
        try pair.exchange()
        #expect(pair.server.recorder.received == [1, 2, 3] && pair.client.recorder.received == [4, 5])
        #expect(pair.client.recorder.errors.isEmpty && pair.server.recorder.errors.isEmpty)
    }

    @Test(
        "a client refuses a certificate under other names, and the server learns it",
        arguments: [
            "other.example", "wild.example", "a.b.wild.example", "xrelay.example", "relay.example.org", "127.0.0.2",
            "::2",
        ])
    func wrongNames(host: String) throws {
        let pair = try TLSPair(.client(host))
        pair.client.send([1])
        try pair.exchange()
        #expect(pair.client.recorder.failures == [.nameMismatch(host)])
        #expect(!pair.client.channel.isActive && pair.server.recorder.received.isEmpty)
        guard case .alert = try #require(pair.server.recorder.failures.first) else {
            Issue.record("\(pair.server.recorder.errors)")
            return
        }
    }

    @Test("texts that are no host are refused", arguments: ["", ".", "a\0b", "ä.example", "a b"])
    func invalidNames(host: String) throws {
        #expect(throws: TLSFailure.invalidName(host)) { try TLSEnd.client(host) }
    }

    @Test(
        "a certificate that is not trusted or not valid now is refused",
        arguments: [
            (TestCertificates.leaf, TestCertificates.other, "local issuer"),
            (TestCertificates.expired, TestCertificates.authority, "expired"),
            (TestCertificates.future, TestCertificates.authority, "not yet valid"),
            (TestCertificates.chained, TestCertificates.authority, "local issuer"),
        ])
    func untrusted(certificate: [UInt8], authority: [UInt8], reason: String) throws {
        let pair = try TLSPair(.client("relay.example", .authorities(authority)), .server(certificate))
        pair.client.send([1])
        try pair.exchange()
        guard case .untrusted(let text) = try #require(pair.client.recorder.failures.first) else {
            Issue.record("\(pair.client.recorder.errors)")
            return
        }
        #expect(text.contains(reason), "\(text)")
        #expect(!pair.client.channel.isActive && pair.server.recorder.received.isEmpty)
    }

    @Test("the system's authorities do not accept a private certificate") func system() throws {
        let pair = try TLSPair(.client("relay.example", .system))
        try pair.exchange()
        guard case .untrusted = try #require(pair.client.recorder.failures.first) else {
            Issue.record("\(pair.client.recorder.errors)")
            return
        }
    }

    @Test("a server sends its intermediate certificates") func chain() throws {
        let pair = try TLSPair(nil, .server(TestCertificates.chained + TestCertificates.intermediate))
        pair.client.send([1])
        try pair.exchange()
        #expect(pair.server.recorder.received == [1])
    }

    @Test("a client that accepts everyone checks neither name nor signature") func everyone() throws {
        let pair = try TLSPair(
            .client("other.example", .everyone), .server(TestCertificates.expired))
        pair.client.send([1])
        try pair.exchange()
        #expect(pair.server.recorder.received == [1])
    }

    @Test(
        "megabytes arrive complete in both directions, in pieces of any size", arguments: [UInt64(1), 2, 3],
        [100, 3_000, 65_536])
    func transfer(seed: UInt64, piece: Int) throws {
        var random = SeededGenerator(seed: seed)
        let pair = try TLSPair()
        var (toServer, toClient): ([UInt8], [UInt8]) = ([], [])
        var writes: [EventLoopFuture<Void>] = []
        for round in 0..<12 {
            let sizes = [0, 1, 16_384, 16_385, random.below(200_000), random.below(2_000)]
            let up = random.bytes(sizes[random.below(sizes.count)])
            let down = random.bytes(sizes[random.below(sizes.count)])
            writes.append(pair.client.send(up))
            // The server cannot know before the handshake who its client is.
            if round > 0 { writes.append(pair.server.send(down)) }
            toServer += up
            if round > 0 { toClient += down }
            try pair.exchange(piece: piece, using: &random)
        }
        #expect(pair.server.recorder.received == toServer && pair.client.recorder.received == toClient)
        for write in writes { try write.wait() }
    }

    @Test("a connection works when each read has one byte") func singleBytes() throws {
        var random = SeededGenerator(seed: 1)
        let pair = try TLSPair()
        pair.server.recorder.echoes = true
        let message = random.bytes(600)
        pair.client.send(message)
        try pair.exchange(piece: 1, using: &random)
        #expect(pair.client.recorder.received == message)
        pair.client.channel.close(promise: nil)
        try pair.exchange(piece: 1, using: &random)
        #expect(pair.server.recorder.isInactive && pair.client.recorder.isInactive)
        #expect(pair.client.recorder.errors.isEmpty && pair.server.recorder.errors.isEmpty)
    }

    @Test("writes before the end of the handshake arrive in order and succeed after it") func early() throws {
        let pair = try TLSPair()
        var done = 0
        for byte in UInt8(0)..<10 {
            pair.client.channel.write(ByteBuffer(bytes: [byte])).assumeIsolated().whenSuccess { done += 1 }
        }
        try pair.exchange()
        #expect(done == 0 && pair.server.recorder.received.isEmpty)
        pair.client.channel.flush()
        try pair.exchange()
        #expect(done == 10 && pair.server.recorder.received == Array(0..<10))
    }

    @Test("a connection without handshake closes after 10 s") func silent() throws {
        for end in [try TLSEnd.server(), try TLSEnd.client()] {
            end.advance(TLSHandler.handshakeTime - .milliseconds(1))
            #expect(end.channel.isActive)
            end.advance(.milliseconds(1))
            #expect(!end.channel.isActive && end.recorder.failures == [.timedOut])
        }
        let pair = try TLSPair()
        try pair.exchange()
        pair.client.advance(.hours(1))
        #expect(pair.client.channel.isActive)
    }

    @Test("writes before the end of the handshake are limited") func pending() throws {
        let end = try TLSEnd.client()
        let first = end.send([UInt8](repeating: 0, count: TLSHandler.pendingBytes))
        #expect(end.channel.isActive)
        let last = end.send([0])
        #expect(!end.channel.isActive)
        let failure = TLSFailure.tooManyPendingBytes(limit: TLSHandler.pendingBytes)
        #expect(end.recorder.failures == [failure])
        #expect(throws: failure) { try first.wait() }
        #expect(throws: failure) { try last.wait() }
    }

    @Test("a write in the callback of a failed write is refused") func reentrance() throws {
        let end = try TLSEnd.client()
        var second: EventLoopFuture<Void>?
        end.send([1]).assumeIsolated().whenFailure { _ in second = end.send([2]) }
        end.end()
        #expect(throws: ChannelError.self) { try second?.wait() }
        #expect(second != nil)
    }
}
