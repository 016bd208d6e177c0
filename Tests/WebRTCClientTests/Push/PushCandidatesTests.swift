import MediaBase
import SDP
import Testing
import WebRTCClient

@Suite("LIV-1 candidates of a WHIP push") struct PushCandidatesTests {
    private func address(_ text: String, _ port: UInt16 = 5_000) throws -> SocketAddress {
        try #require(SocketAddress(text, port: port))
    }

    private func named(_ local: String, toward remote: String, port: UInt16 = 5_000) throws -> [String] {
        let route = PushCandidates.Route(local: try address(local, port), remote: try address(remote, 9))
        return PushCandidates.host([route]).map(\.host)
    }

    @Test("Internal addresses are named to internal servers alone")
    func internalAddresses() throws {
        #expect(try named("203.0.113.5", toward: "198.51.100.1") == ["203.0.113.5"])
        #expect(try named("203.0.113.5", toward: "10.0.0.1") == ["203.0.113.5"])
        #expect(try named("10.0.0.5", toward: "10.0.0.1") == ["10.0.0.5"])
        #expect(try named("fd00::5", toward: "fd00::1") == ["fd00::5"])
        for remote in ["203.0.113.9", "198.51.100.1"] { #expect(try named("10.0.0.5", toward: remote) == []) }
        #expect(try named("fd00::5", toward: "2a00::1") == [])
    }

    @Test(
        "Loopback and link-local addresses, and sockets without a port, are left out",
        arguments: [("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("169.254.1.1", "169.254.1.2"), ("fe80::1", "fe80::2")])
    func unusable(local: String, remote: String) throws {
        #expect(try named(local, toward: remote) == [])
        #expect(try named("10.0.0.5", toward: "10.0.0.1", port: 0) == [])
    }

    @Test("Each address once, at most 8, with falling priorities and foundations of their own")
    func several() throws {
        let routes = try (0..<20).flatMap { number in
            try (0..<2).map { _ in
                PushCandidates.Route(local: try address("10.0.0.\(number)"), remote: try address("10.0.1.1"))
            }
        }
        let found = PushCandidates.host(routes)
        #expect(found.map(\.host) == (0..<8).map { "10.0.0.\($0)" })
        #expect(found.first?.priority == 2_130_706_431 && found.allSatisfy { $0.kind == .host && $0.component == 1 })
        #expect(zip(found, found.dropFirst()).allSatisfy { $0.priority > $1.priority })
        #expect(Set(found.map(\.foundation)).count == 8)
        #expect(found.allSatisfy { ICECandidate($0.description) == $0 })
    }
}
