import Cryptography
import Foundation
import MillraceTokens
import NIOConcurrencyHelpers

/// Tenants of a relay: app keys and secrets. Sessions of different apps are fully separate (SES-3). Copies share the secrets, which a
/// running relay can replace.
package struct AppDirectory: Sendable {
    /// Built-in app of `--dev`. Its secret is public.
    package static let development = "dev"
    package static let developmentSecret = "millrace-development-secret-that-everybody-knows"
    /// Name of the default app if no app is configured. There are no valid tokens of it.
    package static let unnamed = "default"
    package static let secretBytes = AppRule.secretBytes
    package static let maximumApps = 10_000

    private let shared: NIOLockedValueBox<[String: String]>
    private var secrets: [String: String] { shared.withLockedValue { $0 } }
    /// Compared instead of the secret of an unknown app, so that the answer takes as long as for a wrong secret.
    package let decoy = Self.randomSecret()
    /// App of sessions that are entered without a token, by WHIP, WHEP and plain transports.
    package let standard: String

    /// - Parameters:
    ///   - secrets: secrets by app key.
    ///   - standard: default app; nil: the first app in order of keys.
    package init(secrets: [String: String] = [:], standard: String? = nil) {
        shared = NIOLockedValueBox(secrets)
        self.standard = standard ?? secrets.keys.min() ?? Self.unnamed
    }

    /// Whether there are apps other than the built-in one, so that sessions are not open to everyone.
    package var hasTenants: Bool {
        secrets.contains { $0.key != Self.development || $0.value != Self.developmentSecret }
    }

    /// Replaces the apps and their secrets in all copies by those of `other`; the default app stays.
    package func adopt(_ other: AppDirectory) {
        let secrets = other.secrets
        shared.withLockedValue { $0 = secrets }
    }

    package var keys: [String] { secrets.keys.sorted() }
    package func secret(of app: String) -> String? { secrets[app] }

    /// Returns whether anyone can make tokens of this app, which is true for the built-in one with the built-in secret.
    package func isPublic(_ app: String) -> Bool {
        app == Self.development && secrets[app] == Self.developmentSecret
    }

    /// Returns whether `secret` is that of the app. Takes the same time wherever the first difference is, and for unknown apps.
    package func isSecret(_ secret: String, of app: String) -> Bool {
        let own = secrets[app]
        // Hashes have the same length and do not show where the texts differ.
        let isEqual = ConstantTime.areEqual(
            HashFunction.sha256.digest(of: (own ?? decoy).utf8), HashFunction.sha256.digest(of: secret.utf8))
        return isEqual && own != nil
    }

    /// Returns 256 random bits as hexadecimal digits.
    package static func randomSecret() -> String {
        (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Returns whether `text` is 1 to 64 letters, digits, dots, hyphens and underscores.
    package static func isKey(_ text: some StringProtocol) -> Bool { AppRule.isKey(text) }

    /// Parses `key:secret,key:secret`.
    ///
    /// - Returns: nil if an entry is invalid, a key is repeated, or there are more than `maximumApps` entries.
    package static func secrets(in text: String) -> [String: String]? {
        var secrets: [String: String] = [:]
        for entry in text.split(separator: ",") {
            let entry = entry.trimmingCharacters(in: .whitespaces)
            guard let colon = entry.firstIndex(of: ":") else { return nil }
            let key = String(entry[..<colon])
            let secret = String(entry[entry.index(after: colon)...])
            guard isKey(key), secretBytes.contains(secret.utf8.count),
                secret.utf8.allSatisfy({ (33...126).contains($0) }), secrets[key] == nil
            else { return nil }
            secrets[key] = secret
        }
        return secrets.count <= maximumApps ? secrets : nil
    }
}
