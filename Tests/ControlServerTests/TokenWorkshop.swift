import Cryptography
import Foundation

/// Makes valid and invalid tokens without the code under test.
enum TokenWorkshop {
    static let now: Int64 = 1_800_000_000
    static let shop = "shop-secret-shop-secret-shop-secret"
    static let bank = "bank-secret-bank-secret-bank-secret"

    /// Returns the claims of a valid token as JSON, with some replaced; nil leaves a claim out.
    static func claims(_ changes: [String: String?] = [:]) -> String {
        var claims = [
            "app_key": #""shop""#, "tpc": #""lobby""#, "user_identity": #""anna""#, "role_type": "0",
            "iat": "\(now - 10)", "exp": "\(now + 600)", "version": "1",
        ]
        for (name, value) in changes { claims[name] = value }
        return "{" + claims.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    static func token(
        _ claims: String = claims(), header: String = #"{"alg":"HS256","typ":"JWT"}"#, secret: String = shop
    ) -> String {
        let signed = base64(Array(header.utf8)) + "." + base64(Array(claims.utf8))
        let code = HMAC.code(of: Array(signed.utf8), key: Array(secret.utf8), .sha256)
        return signed + "." + base64(code)
    }

    static func token512(_ claims: String = claims()) -> String {
        let signed = base64(Array(#"{"alg":"HS512"}"#.utf8)) + "." + base64(Array(claims.utf8))
        let code = HMAC.code(of: Array(signed.utf8), key: Array(shop.utf8), .sha512)
        return signed + "." + base64(code)
    }

    static func base64(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
