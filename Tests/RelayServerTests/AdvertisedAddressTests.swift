import Logging
import MediaBase
import Testing

@testable import RelayServer

@Suite("Advertised addresses")
struct AdvertisedAddressTests {
    private static func interface(_ text: String, isOnDefaultRoute: Bool = false) throws -> InterfaceAddress {
        InterfaceAddress(address: try #require(SocketAddress(text, port: 0)), isOnDefaultRoute: isOnDefaultRoute)
    }

    private static func host() throws -> [InterfaceAddress] {
        [
            try interface("127.0.0.1"), try interface("::1"), try interface("172.17.0.1"), try interface("169.254.7.7"),
            try interface("192.0.2.7", isOnDefaultRoute: true), try interface("fe80::7", isOnDefaultRoute: true),
            try interface("2001:db8::7", isOnDefaultRoute: true),
        ]
    }

    @Test(
        "the advertised addresses are those that the sockets are bound to, default route first, loopback last",
        arguments: [
            ("0.0.0.0", ["192.0.2.7", "172.17.0.1", "127.0.0.1"]),
            ("::", ["192.0.2.7", "2001:db8::7", "172.17.0.1", "127.0.0.1", "::1"]),
            ("127.0.0.1", ["127.0.0.1"]), ("192.0.2.9", ["192.0.2.9"]), ("::1", ["::1"]),
        ])
    func ofTheHost(bound: String, expected: [String]) throws {
        #expect(RelayConfiguration.hostAddresses(boundTo: bound, of: try Self.host()) == expected)
    }

    @Test("a host without a network advertises loopback, and one with many addresses at most the limit")
    func limits() throws {
        #expect(RelayConfiguration.hostAddresses(boundTo: "0.0.0.0", of: []) == ["127.0.0.1"])
        let many = try (1...100).map { try Self.interface("10.0.0.\($0)") } + [Self.interface("127.0.0.1")]
        let hosts = RelayConfiguration.hostAddresses(boundTo: "0.0.0.0", of: many)
        #expect(hosts.count == RelayConfiguration.advertisedLimit)
        #expect(hosts.first == "10.0.0.1" && hosts.last == "127.0.0.1")
        var configuration = RelayConfiguration()
        configuration.mediaAdvertised = hosts.joined(separator: ",")
        #expect(throws: Never.self) { try configuration.validate() }
    }

    @Test("the addresses of this host come from the kernel; explicit ones are kept in order")
    func ofThisHost() {
        #expect(InterfaceAddress.all().contains { $0.address.host == "127.0.0.1" })
        var configuration = RelayConfiguration()
        #expect(configuration.advertisedAddresses.last == "127.0.0.1")
        let completed = Relay.completed(configuration)
        #expect(completed.mediaAdvertised == configuration.advertisedAddresses.joined(separator: ","))
        configuration.mediaAdvertised = "127.0.0.1, 192.0.2.1"
        #expect(configuration.advertisedAddresses == ["127.0.0.1", "192.0.2.1"])
        #expect(Relay.completed(configuration).advertisedAddresses == ["127.0.0.1", "192.0.2.1"])
    }

    @Test(
        "a warning is logged if HTTP is reachable from other hosts and media is not",
        arguments: [("127.0.0.1", false), ("127.0.0.1,192.0.2.1", false), ("127.0.0.1", true)])
    func reach(advertised: String, isHTTPOpen: Bool) {
        var configuration = RelayConfiguration()
        configuration.mediaAdvertised = advertised
        configuration.httpAddress = isHTTPOpen ? "0.0.0.0" : "127.0.0.1"
        let log = LogLines()
        let relay = Relay(configuration: configuration, logger: Logger(label: "test") { _ in log })
        relay.logAdvertised(configuration)
        #expect(log.messages.contains { $0.contains("other hosts reach HTTP but not media") } == isHTTPOpen)
        #expect(log.messages.contains { $0.contains("clients are told to send media") })
    }
}
