import COpenSSL
import SRTP

extension DTLSKeys {
    /// Exports the keys of a completed handshake (RFC 5764 section 4.2; lengths for GCM from RFC 7714 section 12).
    ///
    /// ```
    ///   | client's master key | server's master key | client's master salt | server's master salt |
    /// ```
    init(exporting ssl: OpaquePointer, role: DTLSConnection.Role) throws(DTLSFailure) {
        guard let profile = SSL_get_selected_srtp_profile(ssl), let suite = SRTPSuite(profile: profile.pointee.id)
        else {
            throw .noSRTPProfile
        }
        let keyLength = suite.masterKeyLength
        let saltLength = suite.masterSaltLength
        let label = "EXTRACTOR-dtls_srtp"
        var block = [UInt8](repeating: 0, count: 2 * (keyLength + saltLength))
        guard SSL_export_keying_material(ssl, &block, block.count, label, label.utf8.count, nil, 0, 0) == 1 else {
            throw .takeLibraryError("no keying material")
        }
        func key(_ side: Int) throws(DTLSFailure) -> SRTPKey {
            let master = block[(side * keyLength)...].prefix(keyLength)
            let salt = block[(2 * keyLength + side * saltLength)...].prefix(saltLength)
            do { return try SRTPKey(suite: suite, bytes: master + salt) } catch { throw .library("no SRTP key") }
        }
        let client = try key(0)
        let server = try key(1)
        self.init(
            suite: suite, local: role == .client ? client : server, remote: role == .client ? server : client)
    }
}

extension SRTPSuite {
    /// Maps a protection profile (RFC 5764 section 4.1.2, RFC 7714 section 14.2) to a suite.
    init?(profile: UInt) {
        switch profile {
        case 0x0001: self = .aesCM128HMACSHA1_80
        case 0x0002: self = .aesCM128HMACSHA1_32
        case 0x0007: self = .aeadAES128GCM
        default: return nil
        }
    }

    /// OpenSSL's name of the profile.
    var profileName: String {
        switch self {
        case .aesCM128HMACSHA1_80: "SRTP_AES128_CM_SHA1_80"
        case .aesCM128HMACSHA1_32: "SRTP_AES128_CM_SHA1_32"
        case .aeadAES128GCM: "SRTP_AEAD_AES_128_GCM"
        }
    }
}
