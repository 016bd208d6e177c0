/// Reason for which a message was not sealed or not opened.
package enum HPKEFailure: Error, Sendable, Equatable {
    /// A public or private key has a wrong length, or the shared secret of a public key is zero.
    case invalidKey
    /// The ciphertext does not authenticate: another receiver, another sender, another context, or changed bytes.
    case authentication
    /// Too many messages were sealed under one context.
    case messageLimit
    /// OpenSSL refused; never caused by the content of a message.
    case library
}
