import MediaBase
import Testing
import Transport

@Suite struct PeerAddressTests {
    @Test func aConnectionIsPartOfTheAddress() throws {
        let address = try #require(SocketAddress("192.0.2.1", port: 4000))
        #expect(PeerAddress(address) != PeerAddress(address, connection: 0))
        #expect(!PeerAddress(address).isTCP)
        #expect(PeerAddress(address, connection: 0).isTCP)
    }
}
