extension Encoder {
    /// Encodes a value as its text, for `Decoder.decodeText`.
    package func encodeText(_ text: String) throws {
        var container = singleValueContainer()
        try container.encode(text)
    }
}
