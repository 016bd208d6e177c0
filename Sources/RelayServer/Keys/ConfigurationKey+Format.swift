import ClusterLink
import ControlServer
import HTTPCalls
import Logging
import MediaBase

extension ConfigurationKey {
    /// Allowed values of a key whose value is text.
    struct Format: Sendable {
        /// Description of the allowed values, for people.
        let allowed: String
        /// Name of the value in the usage of the flag.
        var valueName = "value"
        var isSecret = false
        var isList = false
        var accepts: @Sendable (String) -> Bool = { _ in true }

        static let address = Format(allowed: "a numeric address", accepts: isNumericAddress)
        static let addresses = Format(
            allowed: "up to 16 numeric addresses with commas between them", isList: true,
            accepts: {
                let list = RelayConfiguration.list($0)
                return list.count <= RelayConfiguration.advertisedLimit && list.allSatisfy(isNumericAddress)
                    && Set(list).count == list.count
            })
        static let origins = Format(
            allowed: "up to 64 origins such as https://app.example with commas between them, *, or nothing",
            isList: true, accepts: { AllowedOrigins(RelayConfiguration.list($0)) != nil })
        static let hosts = Format(
            allowed: "up to 64 host names with commas between them, or nothing", isList: true, accepts: areHostNames)
        static let file = Format(allowed: "a PEM file, or nothing", valueName: "file")
        static let directory = Format(allowed: "a directory, or nothing", valueName: "directory")
        static let token = Format(
            allowed: "8 to 512 visible ASCII characters, or nothing", isSecret: true, accepts: { isToken($0, 8) })
        static let adminToken = Format(
            allowed: "16 to 512 visible ASCII characters, or nothing", isSecret: true, accepts: { isToken($0, 16) })
        static let apps = Format(
            allowed:
                "key:secret with commas between them; keys of 1 to 64 letters, digits, dots, hyphens and underscores, "
                + "secrets of 32 to 512 visible ASCII characters",
            isSecret: true, isList: true, accepts: { AppDirectory.secrets(in: $0) != nil })
        static let app = Format(
            allowed: "key of one of the apps, or nothing", accepts: { $0.isEmpty || AppDirectory.isKey($0) })
        static let webhookURL = Format(
            allowed: "an http: or https: URL, or nothing", accepts: { $0.isEmpty || HTTPTarget($0) != nil })
        static let iceServers = Format(
            allowed: "up to 16 stun:, stuns:, turn: and turns: URLs with commas between them", isList: true,
            accepts: {
                let list = RelayConfiguration.list($0)
                return list.count <= 16
                    && list.allSatisfy { ICEServer(url: $0, username: "", credential: "") != nil }
            })
        /// Characters that a quoted string in a header field (RFC 9110 section 5.6.4) can have without escapes.
        static let quotable = Format(
            allowed: "up to 512 printable ASCII characters but \" and \\",
            accepts: {
                $0.utf8.count <= 512 && $0.utf8.allSatisfy { (32...126).contains($0) && $0 != 0x22 && $0 != 0x5C }
            })
        static let quotableSecret = Format(allowed: quotable.allowed, isSecret: true, accepts: quotable.accepts)
        static let videoCodecs = Format(
            allowed: "one or more of vp8, h264, vp9, av1 with commas between them", isList: true,
            accepts: { RelayConfiguration.codecs(in: $0) != nil })
        static let storeURL = Format(
            allowed: "a postgres: or postgresql: URL, or nothing", isSecret: true,
            accepts: { $0.isEmpty || $0.hasPrefix("postgres://") || $0.hasPrefix("postgresql://") })
        static let clusterName = Format(
            allowed: "1 to 64 letters, digits, dots, hyphens and underscores, or nothing",
            accepts: { $0.isEmpty || AppDirectory.isKey($0) })
        static let hostAndPort = Format(
            allowed: "a host and a port such as 10.0.0.5:7881, or nothing",
            accepts: { $0.isEmpty || LinkAddress($0) != nil })
        static let logLevel = Format(
            allowed: Logger.Level.allCases.map(\.rawValue).joined(separator: ", "),
            accepts: { Logger.Level(rawValue: $0) != nil })

        private static let isNumericAddress: @Sendable (String) -> Bool = { SocketAddress($0, port: 0) != nil }

        private static func isToken(_ text: String, _ minimum: Int) -> Bool {
            text.isEmpty
                || ((minimum...512).contains(text.utf8.count) && text.utf8.allSatisfy { (33...126).contains($0) })
        }

        private static let areHostNames: @Sendable (String) -> Bool = {
            let list = RelayConfiguration.list($0)
            return list.count <= 64
                && list.allSatisfy { name in
                    (1...253).contains(name.utf8.count)
                        && name.utf8.allSatisfy { (33...126).contains($0) && !":/[]@?#\\\"".utf8.contains($0) }
                }
        }
    }
}
