import MillraceTestKit
import NIOCore
import TLSChannel
import Testing

@Suite("Hostile input of TLS connections") struct TLSHostileTests {
    @Test(
        "bytes that are no TLS end the connection with an error",
        arguments: [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "\0\0\0\0\0\0\0\0\0\0\0\0",
            "\u{16}\u{3}\u{1}\u{7f}\u{7f}" + String(repeating: "x", count: 40_000),
        ])
    func noTLS(text: String) throws {
        for end in [try TLSEnd.server(), try TLSEnd.client()] {
            try end.receive(text.utf8)
            #expect(!end.channel.isActive && end.recorder.received.isEmpty)
            guard case .protocolError = try #require(end.recorder.failures.first) else {
                Issue.record("\(end.recorder.errors)")
                return
            }
        }
    }

    @Test("random bytes in random pieces do not trap", arguments: UInt64(0)..<40) func garbage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let end = seed.isMultiple(of: 2) ? try TLSEnd.server() : try TLSEnd.client()
        // The head of a record makes OpenSSL look at more of it.
        if random.below(2) == 0 { try end.receive([22, 3, UInt8(random.below(5)), 0, UInt8(random.below(200))]) }
        for _ in 0..<50 {
            guard try end.receive(random.bytes(1 + random.below(400))) else { break }
        }
        #expect(end.recorder.received.isEmpty)
        end.end()
        #expect(!end.channel.isActive)
    }

    @Test("a damaged stream delivers a beginning of the plaintext and then an error", arguments: UInt64(0)..<60)
    func damage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pair = try TLSPair()
        try pair.exchange()
        let message = random.bytes(40_000)
        pair.client.send(message)
        var bytes = try pair.client.output()
        let position = random.below(bytes.count)
        switch random.below(3) {
        case 0: bytes[position] ^= UInt8(1 << random.below(8))
        case 1: bytes.remove(at: position)
        default: bytes.insert(UInt8(random.below(256)), at: position)
        }
        try pair.server.receive(bytes)
        try pair.server.receive([UInt8](repeating: 0, count: 20_000))
        let received = pair.server.recorder.received
        #expect(message.starts(with: received) && !pair.server.channel.isActive)
        #expect(!pair.server.recorder.failures.isEmpty)
    }

    @Test("a damaged handshake never delivers plaintext", arguments: UInt64(0)..<60) func handshake(seed: UInt64) throws
    {
        var random = SeededGenerator(seed: seed)
        let pair = try TLSPair()
        pair.client.send([1, 2, 3])
        var flights = 1 + random.below(3)
        while true {
            var (up, down) = (try pair.client.output(), try pair.server.output())
            if up.isEmpty, down.isEmpty { break }
            flights -= 1
            if flights == 0 {
                if !up.isEmpty { up[random.below(up.count)] ^= UInt8(1 << random.below(8)) }
                if !down.isEmpty { down[random.below(down.count)] ^= UInt8(1 << random.below(8)) }
            }
            try pair.server.receive(up)
            try pair.client.receive(down)
        }
        // A record that was delivered is the client's.
        #expect([[], [1, 2, 3]].contains(pair.server.recorder.received))
        #expect(pair.client.recorder.received.isEmpty)
    }

    @Test("bytes after close_notify are ignored") func afterTheEnd() throws {
        let pair = try TLSPair()
        try pair.exchange()
        pair.server.channel.allowRemoteHalfClosure = true
        pair.client.channel.close(mode: .output, promise: nil)
        try pair.exchange()
        try pair.server.receive([1, 2, 3])
        #expect(pair.server.channel.isActive && pair.server.recorder.errors.isEmpty)
        #expect(pair.server.recorder.received.isEmpty)
    }
}
