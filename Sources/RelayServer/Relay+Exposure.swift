import ControlServer
import Logging

extension Relay {
    /// Fills in the advertised addresses, so that they stay the same while the relay runs, and what a development relay needs beyond
    /// loopback: an admin token of its own, so that `/v1` is not open to the network. It is among `developmentHints`.
    static func completed(_ configuration: RelayConfiguration) -> RelayConfiguration {
        var configuration = configuration
        configuration.mediaAdvertised = configuration.advertisedAddresses.joined(separator: ",")
        if configuration.development, !configuration.isHTTPOnLoopback, configuration.adminToken.isEmpty {
            configuration.adminToken = AppDirectory.randomSecret()
        }
        return configuration
    }

    /// Logs the addresses that clients are told to send media to, and warns if HTTP is reachable from further away than they are.
    func logAdvertised() {
        let metadata: Logger.Metadata = ["addresses": "\(configuration.advertisedAddresses.joined(separator: ", "))"]
        logger.notice("clients are told to send media to these addresses", metadata: metadata)
        guard configuration.isMediaOnLoopback, !configuration.isHTTPOnLoopback else { return }
        logger.warning(
            "other hosts reach HTTP but not media: set media.advertised to an address that they reach",
            metadata: metadata)
    }

    /// Logs which hosts reach HTTP, and what is open to them.
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
        if !needs.publishing { open.append("publishing by WHIP") }
        if !needs.viewing { open.append("viewing by WHEP") }
        logger.warning(
            "this development relay is open to every host that reaches it: \(open.joined(separator: ", "))",
            metadata: address)
    }
}
