import MediaBase
import Testing

@testable import MillraceClient

@Suite("Sockets of media") struct DatagramSocketTests {
    @Test("CON-4 a socket is bound to an address of its own family, or is none") func families() {
        #expect(DatagramSocket(isIPv6: false, host: "127.0.0.1") != nil)
        #expect(DatagramSocket(isIPv6: true, host: "127.0.0.1") == nil)
        #expect(DatagramSocket(isIPv6: false, host: "::1") == nil)
        #expect(DatagramSocket(isIPv6: false, host: "no address") == nil)
        // A documentation address (RFC 5737): this machine does not have it.
        #expect(DatagramSocket(isIPv6: false, host: "192.0.2.1") == nil)
    }
}
