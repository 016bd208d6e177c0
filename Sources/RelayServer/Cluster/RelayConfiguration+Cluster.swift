import Cluster
import ClusterLink
import MediaBase

extension RelayConfiguration {
    /// Host and port at which other relays reach this one.
    var linkAddress: LinkAddress {
        LinkAddress(clusterLink)
            ?? LinkAddress(host: advertisedAddresses.first ?? mediaAddress, port: LinkAddress.defaultPort)
    }

    var clusterSettings: ClusterSettings {
        var settings = ClusterSettings()
        settings.leaseTime = .seconds(Double(clusterTTLSeconds))
        return settings
    }
}
