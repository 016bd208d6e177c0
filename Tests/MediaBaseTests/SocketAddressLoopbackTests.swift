import MediaBase
import Testing

@Suite struct SocketAddressLoopbackTests {
    @Test(
        "loopback addresses are those that no other host reaches",
        arguments: [
            ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("::ffff:127.0.0.1", true), ("0.0.0.0", false),
            ("::", false), ("128.0.0.1", false), ("10.0.0.1", false), ("::ffff:10.0.0.1", false), ("fe80::1", false),
            ("::2", false),
        ])
    func loopback(_ text: String, _ isLoopback: Bool) throws {
        #expect(try #require(SocketAddress(text, port: 0)).isLoopback == isLoopback)
    }
}
