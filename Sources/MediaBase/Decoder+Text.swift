extension Decoder {
    /// Decodes a value that is encoded as its text.
    /// - Parameter parse: returns nil for text that does not describe a value. The error does not repeat the text, which may be a key.
    package func decodeText<Value>(_ parse: (String) -> Value?) throws -> Value {
        let container = try singleValueContainer()
        guard let value = parse(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a valid \(Value.self)")
        }
        return value
    }
}
