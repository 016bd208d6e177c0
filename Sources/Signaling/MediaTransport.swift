/// How media goes between a client and the relay. A client passes over those that it does not know.
public struct MediaTransport: RawRepresentable, Hashable, Sendable, Codable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// DTLS-SRTP, as browsers have it.
    public static let webRTC = MediaTransport(rawValue: "webRTC")
    /// SRTP with keys in offers and answers (RFC 4568), where nobody else reads the control connection.
    public static let native = MediaTransport(rawValue: "native")
}
