import MediaBase
import Testing

@testable import ControlServer

@Suite("LIV-1 address from which a push is sent") struct LocalRouteTests {
    @Test("The address of the route to the server, without a port", arguments: ["127.0.0.1", "::1"])
    func loopback(text: String) throws {
        let remote = try #require(SocketAddress(text, port: 9))
        // A host without IPv6 has no route.
        guard let local = LocalRoute.address(toward: remote) else { return #expect(remote.isIPv6) }
        #expect(local.host == text && local.port == 0)
    }
}
