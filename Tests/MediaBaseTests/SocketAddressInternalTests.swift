import MediaBase
import Testing

@Suite("LIV-1 addresses that a request from outside must not reach") struct SocketAddressInternalTests {
    @Test(
        "Addresses inside the operator's network, in each notation",
        arguments: [
            "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
            "100.127.255.255", "0.0.0.0", "0.1.2.3", "192.0.0.1", "198.18.0.1", "198.19.255.255", "224.0.0.1",
            "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "febf::1", "fec0::1", "fc00::1",
            "fdff::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::10.0.0.1",
            "64:ff9b::10.0.0.1", "64:ff9b:1::192.168.1.1", "2002:a00:1::", "2002:7f00:1::1", "2001:0:1:2:3:4:f5ff:fffe",
        ])
    func isInternal(_ text: String) throws {
        #expect(try #require(SocketAddress(text, port: 443)).isInternal)
    }

    @Test(
        "Addresses on the internet",
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1",
            "192.0.1.1", "192.167.0.1", "198.17.0.1", "198.20.0.1", "223.255.255.255", "2606:4700::1111",
            "::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "2002:101:101::1", "2001:470::1",
        ])
    func isOutside(_ text: String) throws {
        #expect(try !#require(SocketAddress(text, port: 443)).isInternal)
    }

    @Test("An empty address is internal") func empty() { #expect(SocketAddress().isInternal) }

    @Test(
        "LIV-1 link-local addresses",
        arguments: [
            ("169.254.0.1", true), ("169.253.0.1", false), ("10.0.0.1", false), ("fe80::1", true), ("febf::1", true),
            ("fec0::1", false), ("fd00::1", false), ("::1", false),
        ])
    func linkLocal(text: String, isLinkLocal: Bool) throws {
        #expect(try #require(SocketAddress(text, port: 1)).isLinkLocal == isLinkLocal)
    }
}
