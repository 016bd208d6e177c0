import Foundation

/// Name of the session in a token's claims. The signature is not verified: the relay does that.
enum TokenTopic {
    static func read(_ token: String) -> String? {
        struct Claims: Decodable { var tpc: String? }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].utf8.count <= 8_192 else { return nil }
        var text = parts[1].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: text) else { return nil }
        return try? JSONDecoder().decode(Claims.self, from: data).tpc
    }
}
