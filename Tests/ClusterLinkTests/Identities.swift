import Cluster
import ClusterLink

/// Certificates of the relays in the tests.
enum Identities {
    static let edge = made()
    static let home = made()
    static let stranger = made()

    private static func made() -> LinkIdentity {
        do { return try LinkIdentity() } catch { preconditionFailure("\(error)") }
    }
}

extension LinkSettings {
    /// Settings for real connections on a machine that may be busy.
    static var patient: LinkSettings {
        var settings = LinkSettings()
        settings.connectTime = .seconds(60)
        settings.headTime = .seconds(60)
        return settings
    }
}

extension RelayDescription {
    /// Row of a relay that listens on a port of the loopback interface.
    static func local(_ port: Int, _ identity: LinkIdentity = Identities.home) -> RelayDescription {
        RelayDescription(
            id: RelayID(rawValue: "home"), link: "127.0.0.1:\(port)", fingerprint: identity.fingerprint, region: "",
            version: "1", linkVersion: 1)
    }
}
