import Cluster
import Testing

@testable import ClusterLink

@Suite("Addresses and certificates of relays") struct LinkTargetTests {
    private func target(_ link: String, _ fingerprint: String = String(repeating: "0f", count: 32)) -> LinkTarget? {
        try? LinkTarget(
            RelayDescription(
                id: RelayID(rawValue: "a"), link: link, fingerprint: fingerprint, region: "", version: "1",
                linkVersion: 1))
    }

    @Test(
        "a link has a host and a port",
        arguments: [
            ("10.0.0.5:7881", "10.0.0.5", 7881), ("relay.example:1", "relay.example", 1), ("[::1]:65535", "::1", 65535),
        ])
    func address(link: String, host: String, port: Int) {
        #expect(target(link)?.address == LinkAddress(host: host, port: port))
        #expect(target(link)?.fingerprint == [UInt8](repeating: 15, count: 32))
    }

    @Test("other texts are refused", arguments: ["", ":", "a", "a:", ":80", "[]:80", "a:0", "a:65536", "a:-1", "a:x"])
    func invalid(link: String) { #expect(target(link) == nil) }

    @Test(
        "a fingerprint has 64 hexadecimal digits in lower case",
        arguments: ["", "0f", String(repeating: "0F", count: 32), String(repeating: "0g", count: 32)])
    func fingerprint(text: String) { #expect(target("a:1", text) == nil) }

    @Test("each identity has another fingerprint, which a target takes") func identities() {
        let (edge, home) = (Identities.edge.fingerprint, Identities.home.fingerprint)
        #expect(edge != home && target("a:1", edge) != nil && target("a:1", home) != nil)
    }
}
