import SRTP

/// SRTP suites as typed on a command line.
package enum SRTPSuiteName {
    package static let usual = "AES_CM_128_HMAC_SHA1_80"

    /// Returns the suite with a name of RFC 4568 or RFC 7714, in any case, or a short name: `cm`, `cm80`, `cm32`, `gcm`.
    static func suite(_ text: String) -> SRTPSuite? {
        switch text.lowercased() {
        case "cm", "cm80": .aesCM128HMACSHA1_80
        case "cm32": .aesCM128HMACSHA1_32
        case "gcm": .aeadAES128GCM
        default: SRTPSuite(sdesName: text.uppercased())
        }
    }
}
