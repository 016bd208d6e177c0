import COpenSSL
package import MediaBase

/// Self-signed certificate of an HTTPS server. Browsers show a warning for it, which users accept once.
///
/// ```swift
/// let (certificate, file) = try ServerCertificate.make(names: ["localhost"], addresses: ["192.0.2.7"], days: 397)
/// let isUsable = certificate.covers(names: ["localhost"], addresses: [], until: now + 86_400)
/// ```
package struct ServerCertificate: Sendable {
    private let pem: String
    /// SHA-256 fingerprint, as browsers show it.
    package let fingerprint: CertificateFingerprint

    /// Parses the first certificate of a PEM text; nil if there is none.
    package init?(pem: String) {
        guard let certificate = Self.parse(pem) else { return nil }
        defer { X509_free(certificate) }
        guard let fingerprint = CertificateFingerprint(of: certificate, .sha256) else { return nil }
        self.pem = pem
        self.fingerprint = fingerprint
    }

    /// Makes a P-256 key and a certificate for it, valid from a day ago, for browsers with a slow clock. It has no key
    /// usage extension: with one, OpenSSL would not accept it as its own issuer if a client trusts it by its file.
    ///
    /// - Parameters:
    ///   - names: DNS names, at least one: of at most 253 letters, digits, dots and hyphens; others are left out.
    ///   - addresses: numeric IPv4 and IPv6 addresses.
    ///   - days: days until the certificate expires.
    /// - Returns: the certificate, and a PEM text with the certificate and its private key.
    package static func make(
        names: [String], addresses: [String], days: Int
    ) throws(DTLSFailure) -> (certificate: ServerCertificate, file: String) {
        let key = try DTLSIdentity.makeKey(.ecdsaP256)
        defer { EVP_PKEY_free(key) }
        let alternatives =
            names.filter(isName).map { "DNS:\($0)" }
            + addresses.filter { SocketAddress($0, port: 0) != nil }.map { "IP:\($0)" }
        guard let certificate = X509_new() else { throw .takeLibraryError("no memory for a certificate") }
        defer { X509_free(certificate) }
        let name = X509_get_subject_name(certificate)
        let day = 24 * 3_600
        guard X509_set_version(certificate, 2) == 1,
            ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), .random(in: 1...UInt64(Int64.max))) == 1,
            X509_gmtime_adj(X509_getm_notBefore(certificate), -day) != nil,
            X509_gmtime_adj(X509_getm_notAfter(certificate), days * day) != nil,
            X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_FLAG | 1, "millrace", -1, -1, 0) == 1,
            X509_set_issuer_name(certificate, name) == 1, X509_set_pubkey(certificate, key) == 1,
            add(NID_basic_constraints, "critical,CA:FALSE", to: certificate),
            add(NID_ext_key_usage, "serverAuth", to: certificate),
            add(NID_subject_alt_name, alternatives.joined(separator: ","), to: certificate),
            X509_sign(certificate, key, EVP_sha256()) > 0,
            let text = written({ PEM_write_bio_X509($0, certificate) }),
            let secret = written({ PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }),
            let made = ServerCertificate(pem: text)
        else { throw .takeLibraryError("no certificate") }
        return (made, text + secret)
    }

    /// Returns whether the certificate has all names and addresses, and is valid at a time.
    ///
    /// - Parameter until: seconds since 1970.
    package func covers(names: [String], addresses: [String], until: Int) -> Bool {
        guard let certificate = Self.parse(pem) else { return false }
        defer { X509_free(certificate) }
        var time = until
        return X509_cmp_time(X509_get0_notAfter(certificate), &time) > 0
            && names.filter(Self.isName).allSatisfy { X509_check_host(certificate, $0, 0, 0, nil) == 1 }
            && addresses.allSatisfy { X509_check_ip_asc(certificate, $0, 0) == 1 }
    }

    /// Whether the text can stand in the list of names, whose syntax has commas and colons.
    private static func isName(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 46
            }
    }

    private static func add(_ kind: Int32, _ value: String, to certificate: OpaquePointer) -> Bool {
        guard let found = X509V3_EXT_conf_nid(nil, nil, kind, value) else { return false }
        defer { X509_EXTENSION_free(found) }
        return X509_add_ext(certificate, found, -1) == 1
    }

    private static func parse(_ pem: String) -> OpaquePointer? {
        var pem = pem
        return pem.withUTF8 { bytes -> OpaquePointer? in
            guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
            defer { BIO_free(bio) }
            // OpenSSL's own callback would ask for a passphrase at the terminal.
            let certificate = PEM_read_bio_X509(bio, nil, { _, _, _, _ in -1 }, nil)
            if certificate == nil { ERR_clear_error() }
            return certificate
        }
    }

    /// Returns what `write` puts into a memory buffer.
    private static func written(_ write: (OpaquePointer) -> Int32) -> String? {
        guard let bio = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(bio) }
        guard write(bio) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = BIO_read(bio, &bytes, Int32(bytes.count))
        return count > 0 ? String(decoding: bytes.prefix(Int(count)), as: UTF8.self) : nil
    }
}
