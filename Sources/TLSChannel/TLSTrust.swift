/// Certificates of servers that a client accepts.
package enum TLSTrust: Sendable {
    /// Those of the authorities in the system's store.
    case system
    /// Those of the authorities in this PEM text, and no others. A self-signed certificate is its own authority.
    case authorities([UInt8])
    /// The certificate with this SHA-256, for any name and at any time.
    case fingerprint([UInt8])
    /// All, for any name: the connection is encrypted, but its other end is not known.
    case everyone
}
