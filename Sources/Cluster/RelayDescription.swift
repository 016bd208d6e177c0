/// Properties of a relay that the other relays of its cluster need. They do not change while it runs.
package struct RelayDescription: Hashable, Sendable {
    package var id: RelayID
    /// Host and port at which the relay accepts links, such as `10.0.0.5:7881`.
    package var link: String
    /// SHA-256 of the certificate that the relay uses on links: 64 hexadecimal digits in lower case.
    package var fingerprint: String
    /// Group of relays that are near each other.
    package var region: String
    /// Version of the program.
    package var version: String
    /// Version of the protocol between relays. Relays with versions that differ by at most 1 work together.
    package var linkVersion: Int

    package init(
        id: RelayID, link: String, fingerprint: String, region: String, version: String, linkVersion: Int
    ) {
        self.id = id
        self.link = link
        self.fingerprint = fingerprint
        self.region = region
        self.version = version
        self.linkVersion = linkVersion
    }
}
