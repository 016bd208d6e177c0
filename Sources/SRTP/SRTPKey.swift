import COpenSSL

/// Master key and master salt of one direction, with the suite they belong to (RFC 3711 section 3.2.1).
///
/// ```swift
/// let key = SRTPKey.random(for: .aeadAES128GCM)
/// let line = "a=crypto:1 \(key.suite.sdesName) inline:\(key.base64)"
/// ```
package struct SRTPKey: Sendable, Equatable {
    package let suite: SRTPSuite
    /// Master key followed by master salt: 30 bytes for counter mode, 28 for GCM.
    package let bytes: [UInt8]

    package var masterKey: ArraySlice<UInt8> { bytes.prefix(suite.masterKeyLength) }
    package var masterSalt: ArraySlice<UInt8> { bytes.dropFirst(suite.masterKeyLength) }

    /// - Parameter bytes: master key followed by master salt.
    package init(suite: SRTPSuite, bytes: some Collection<UInt8>) throws(SRTPFailure) {
        guard bytes.count == Self.length(of: suite) else { throw .invalidKey }
        self.suite = suite
        self.bytes = Array(bytes)
    }

    /// Generates a key from the system's random source.
    package static func random(for suite: SRTPSuite) -> SRTPKey {
        var generator = SystemRandomNumberGenerator()
        return SRTPKey(
            unchecked: (0..<length(of: suite)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }, suite)
    }

    /// Parses the key parameter of an SDP crypto attribute (RFC 4568 section 6.1): base64 with or without padding, with or without the
    /// prefix `inline:`. A lifetime behind the key is ignored; an MKI is not supported.
    package init(suite: SRTPSuite, inline text: String) throws(SRTPFailure) {
        var body = Array(text.utf8)
        let prefix = Array("inline:".utf8)
        if body.starts(with: prefix) { body.removeFirst(prefix.count) }
        let parameters = body.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
        // Only an MKI contains a colon (`|1:4`). Its packets would carry additional bytes, which are not supported.
        guard let first = parameters.first, !parameters.dropFirst().contains(where: { $0.contains(UInt8(ascii: ":")) })
        else { throw .invalidKey }
        body = Array(first)
        let length = Self.length(of: suite)
        while body.last == UInt8(ascii: "="), body.count * 6 > length * 8 { body.removeLast() }
        guard body.count == (length * 8 + 5) / 6, body.allSatisfy(Self.isBase64) else { throw .invalidKey }
        while body.count % 4 != 0 { body.append(UInt8(ascii: "A")) }
        var decoded = [UInt8](repeating: 0, count: body.count / 4 * 3)
        guard EVP_DecodeBlock(&decoded, body, Int32(body.count)) == Int32(decoded.count) else { throw .invalidKey }
        self.init(unchecked: Array(decoded.prefix(length)), suite)
    }

    /// Master key and salt in the format of `a=crypto` behind `inline:`.
    package var base64: String {
        var encoded = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let length = EVP_EncodeBlock(&encoded, bytes, Int32(bytes.count))
        return String(decoding: encoded.prefix(Int(length)), as: UTF8.self)
    }

    private init(unchecked bytes: [UInt8], _ suite: SRTPSuite) {
        self.suite = suite
        self.bytes = bytes
    }

    private static func length(of suite: SRTPSuite) -> Int { suite.masterKeyLength + suite.masterSaltLength }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}

// JSON has the bytes in base64. No error repeats them.
extension SRTPKey: Codable {
    private enum CodingKeys: String, CodingKey {
        case suite
        case base64 = "key"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let suite = try container.decode(SRTPSuite.self, forKey: .suite)
        let text = try container.decode(String.self, forKey: .base64)
        guard let key = try? SRTPKey(suite: suite, inline: text), key.base64 == text else {
            throw DecodingError.dataCorruptedError(
                forKey: .base64, in: container, debugDescription: "the key must have the length of its suite, in base64"
            )
        }
        self = key
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(suite, forKey: .suite)
        try container.encode(base64, forKey: .base64)
    }
}

// A key must not reach a log by being interpolated into a message.
extension SRTPKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "SRTPKey(\(suite.sdesName))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["suite": suite]) }
}
