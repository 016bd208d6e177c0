import DTLS
import MediaBase
package import TLSChannel

/// Certificate of a relay on links, with its key. A relay makes it when it starts, and never writes it to a file.
package struct LinkIdentity: Sendable {
    /// Days until the certificate expires. Peers check only its fingerprint.
    private static let days = 3_650

    /// SHA-256 of the certificate: 64 hexadecimal digits in lower case, as in `RelayDescription.fingerprint`.
    package let fingerprint: String
    /// PEM text with the certificate and the key.
    private let file: [UInt8]

    /// Makes a P-256 key and a certificate for it.
    /// - Throws: `library` if OpenSSL fails.
    package init() throws(TLSFailure) {
        do throws(DTLSFailure) {
            let (certificate, file) = try ServerCertificate.make(
                names: ["millrace"], addresses: [], days: Self.days)
            fingerprint = Self.text(certificate.fingerprint.bytes)
            self.file = Array(file.utf8)
        } catch {
            throw .library("\(error)")
        }
    }

    /// Creates the TLS context of the relay's link listener.
    /// - Parameter isKnown: returns whether a relay with this fingerprint is in the cluster. Called in the thread of each connection during
    ///   its handshake, so it must not wait.
    package func server(isKnown: @escaping @Sendable (String) -> Bool) throws(TLSFailure) -> TLSContext {
        try TLSContext.server(certificates: file, key: file) { isKnown(Self.text($0)) }
    }

    /// Creates the TLS context of connections to one relay.
    func client(of relay: [UInt8]) throws(TLSFailure) -> TLSContext {
        try TLSContext.client(.fingerprint(relay), identity: (file, file))
    }

    private static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
