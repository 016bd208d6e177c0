import MediaBase

/// How long a WebSocket may take to stand, and whom it is taken from.
struct ConnectionSecurity: Sendable {
    var timeout: MediaTime
    var checksCertificates: Bool
    /// Path of a PEM file; nil: the system's.
    var trustedCertificates: String?
}

extension SessionConfiguration {
    var security: ConnectionSecurity {
        ConnectionSecurity(
            timeout: connectTimeout.bounded, checksCertificates: checksCertificates,
            trustedCertificates: trustedCertificates)
    }
}

extension MessagingConfiguration {
    var security: ConnectionSecurity {
        ConnectionSecurity(
            timeout: connectTimeout.bounded, checksCertificates: checksCertificates,
            trustedCertificates: trustedCertificates)
    }
}
