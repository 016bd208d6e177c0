import MediaBase

/// Timeout and certificate checks of a WebSocket.
struct ConnectionSecurity: Sendable {
    var timeout: MediaTime
    var checksCertificates: Bool
    /// Path of a PEM file with trusted authorities; nil for the system's.
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
