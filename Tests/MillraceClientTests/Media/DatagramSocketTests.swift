import MediaBase
import Testing

@testable import MillraceClient

@Suite("UDP sockets for media") struct DatagramSocketTests {
    @Test("CON-4 a socket binds to an address of its own family, or is not created") func families() {
        #expect(DatagramSocket(isIPv6: false, host: "127.0.0.1") != nil)
        #expect(DatagramSocket(isIPv6: true, host: "127.0.0.1") == nil)
        #expect(DatagramSocket(isIPv6: false, host: "::1") == nil)
        #expect(DatagramSocket(isIPv6: false, host: "no address") == nil)
        // Documentation address (RFC 5737), which this machine does not have.
        #expect(DatagramSocket(isIPv6: false, host: "192.0.2.1") == nil)
    }
}
