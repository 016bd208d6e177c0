/// Media transport between a client and the relay. Clients ignore unknown values.
public struct MediaTransport: RawRepresentable, Hashable, Sendable, Codable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// DTLS-SRTP, which browsers use.
    public static let webRTC = MediaTransport(rawValue: "webRTC")
    /// SRTP with keys in offers and answers (RFC 4568). Requires an encrypted or local signalling connection.
    public static let native = MediaTransport(rawValue: "native")
}
