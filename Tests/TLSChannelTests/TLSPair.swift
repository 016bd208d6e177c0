import MillraceTestKit
import NIOCore
import TLSChannel

/// A client and a server whose outputs are the other's input.
final class TLSPair {
    let client: TLSEnd
    let server: TLSEnd

    init(_ client: TLSEnd? = nil, _ server: TLSEnd? = nil) throws {
        self.client = try client ?? .client()
        self.server = try server ?? .server()
    }

    deinit {
        client.end()
        server.end()
    }

    /// Exchanges bytes until both ends are silent, in pieces of 1 to `piece` bytes.
    func exchange(piece: Int = 65_536, using random: inout SeededGenerator) throws {
        while true {
            let (fromClient, fromServer) = (try client.output(), try server.output())
            if fromClient.isEmpty, fromServer.isEmpty { return }
            try deliver(fromClient, to: server, piece, &random)
            try deliver(fromServer, to: client, piece, &random)
        }
    }

    func exchange() throws {
        var random = SeededGenerator(seed: 1)
        try exchange(piece: 65_536, using: &random)
    }

    private func deliver(_ bytes: [UInt8], to end: TLSEnd, _ piece: Int, _ random: inout SeededGenerator) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(piece == 1 ? 1 : 1 + random.below(piece))
            guard try end.receive(part) else { return }
            rest = rest.dropFirst(part.count)
        }
    }
}
