import ControlServer
import Logging

extension Relay {
    /// Returns the configuration with values that are fixed while the relay runs: its advertised addresses, until their
    /// key changes, and for a development relay beyond loopback an admin token, so that `/v1` is not open to the
    /// network. `developmentHints` prints the token.
    static func completed(_ configuration: RelayConfiguration) -> RelayConfiguration {
        var configuration = configuration
        configuration.mediaAdvertised = configuration.advertisedAddresses.joined(separator: ",")
        if configuration.development, !configuration.isHTTPOnLoopback, configuration.adminToken.isEmpty {
            configuration.adminToken = AppDirectory.randomSecret()
        }
        return configuration
    }

    /// Logs the advertised addresses, and warns if more hosts can reach HTTP than these addresses.
    func logAdvertised(_ configuration: RelayConfiguration) {
        let metadata: Logger.Metadata = ["addresses": "\(configuration.advertisedAddresses.joined(separator: ", "))"]
        logger.notice("clients are told to send media to these addresses", metadata: metadata)
        guard configuration.isMediaOnLoopback, !configuration.isHTTPOnLoopback else { return }
        logger.warning(
            "other hosts reach HTTP but not media: set media.advertised to an address that they can reach",
            metadata: metadata)
    }

    /// Logs which hosts can reach HTTP, and which endpoints are open to them.
    func logExposure() {
        let address: Logger.Metadata = ["address": "\(configuration.httpAddress)"]
        guard !configuration.isHTTPOnLoopback else {
            if configuration.adminToken.isEmpty {
                logger.notice("HTTP is open to every program on this host, and to no other host", metadata: address)
            }
            return
        }
        if !configuration.isHTTPEncrypted {
            logger.warning(
                "HTTP is not encrypted: tokens, and the keys of plain transports, can be read on the network",
                metadata: address)
        }
        guard configuration.development else { return }
        let needs = configuration.areTokensNeededForMedia
        var open = ["joining sessions of the app \"dev\""]
        if !needs.publishing { open.append("publishing with WHIP") }
        if !needs.viewing { open.append("subscribing with WHEP") }
        logger.warning(
            "this development relay is open to every host that reaches it: \(open.joined(separator: ", "))",
            metadata: address)
    }
}
