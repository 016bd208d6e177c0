import DTLS
import MediaBase
import MillraceTestKit
import Testing

/// Handshake messages in fragments (RFC 6347 section 4.2.3), as peers with a small MTU or a long ClientHello send them.
@Suite("DTLS messages in pieces") final class FragmentTests {
    /// Next record number of epoch 0, for client and server. Fragments need additional numbers, without gaps, because the replay window
    /// would otherwise move past later records.
    private var sequences = [0, 0]

    /// Returns the records of a datagram with plain handshake messages cut to `size` bytes, each fragment in its own datagram.
    private func fragments(of datagram: [UInt8], from side: Network.Side, size: Int) -> [[UInt8]] {
        func sequence() -> [UInt8] {
            defer { sequences[side.rawValue] += 1 }
            return bytes(sequences[side.rawValue], 6)
        }
        var rest = datagram[...]
        var pieces: [[UInt8]] = []
        while rest.count >= 13 {
            let length = Int(rest[rest.startIndex + 11]) << 8 | Int(rest[rest.startIndex + 12])
            var record = Array(rest.prefix(13 + length))
            rest = rest.dropFirst(13 + length)
            guard record[0] == 22, record[4] == 0 else {
                if record[4] == 0 { record.replaceSubrange(5..<11, with: sequence()) }
                pieces.append(record)
                continue
            }
            let body = record[25...]
            let offset = number(record[19..<22])
            for start in stride(from: 0, to: max(body.count, 1), by: size) {
                let piece = body.dropFirst(start).prefix(size)
                let header = record[13..<19] + bytes(offset + start, 3) + bytes(piece.count, 3)
                pieces.append(Array(record[0..<5] + sequence() + bytes(header.count + piece.count, 2) + header + piece))
            }
        }
        return pieces
    }

    private func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
    private func bytes(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    @Test(arguments: [3, 7, 50, 200]) func messagesInPieces(size: Int) throws {
        let network = try Identities.network()
        network.transform = { self.fragments(of: $0.bytes, from: $0.from, size: size) }
        network.start()
        network.run { network.isConnected }
        #expect(network.isConnected)
        #expect(network.client.retransmissions + network.server.retransmissions == 0)
    }

    @Test(arguments: [60, 200]) func piecesInAnyOrder(size: Int) throws {
        for seed in UInt64(0)..<40 {
            var random = SeededGenerator(seed: seed)
            let network = try Identities.network()
            network.transform = { self.fragments(of: $0.bytes, from: $0.from, size: size).shuffled(using: &random) }
            network.start()
            network.run { network.isConnected }
            #expect(network.isConnected, "seed \(seed): \(network.client.state), \(network.server.state)")
        }
    }

    /// A ClientHello as browsers with a post-quantum key share send it: too long for one datagram, with an unknown extension.
    @Test(arguments: [600, 1_150], [false, true])
    func aLongClientHelloOverSeveralDatagramsIsAnswered(size: Int, isReversed: Bool) throws {
        let network = try Identities.network()
        var answers: [Int] = []
        network.transform = { datagram in
            guard datagram.from == .client, datagram.number == 0 else {
                answers.append(datagram.bytes.count)
                return []
            }
            let extra = self.bytes(0xfa_fa, 2) + self.bytes(1_500, 2) + [UInt8](repeating: 0x5a, count: 1_500)
            var hello = Array(datagram.bytes[25...])
            // Version, random, session id, cookie, cipher suites and compression precede the length of the extensions.
            var offset = 34
            offset += 1 + Int(hello[offset])
            offset += 1 + Int(hello[offset])
            offset += 2 + self.number(hello[offset..<offset + 2])
            offset += 1 + Int(hello[offset])
            let extensions = self.number(hello[offset..<offset + 2]) + extra.count
            hello.replaceSubrange(offset..<offset + 2, with: self.bytes(extensions, 2))
            hello += extra
            let message =
                datagram.bytes[13..<14] + self.bytes(hello.count, 3) + [0, 0, 0, 0, 0] + self.bytes(hello.count, 3)
            let long = datagram.bytes[..<11] + self.bytes(message.count + hello.count, 2) + message + hello
            let pieces = self.fragments(of: Array(long), from: .client, size: size)
            #expect(pieces.count > 1)
            return isReversed ? pieces.reversed() : pieces
        }
        network.start()
        network.run(seconds: 0.1)
        // Hello, certificate, key, certificate request.
        #expect(answers.reduce(0, +) > 500)
        #expect(network.server.state == .handshaking)
    }
}
