extension KeyedDecodingContainer {
    /// Returns a whole number in `T`'s range; nil if the field is absent or null. Unlike `decode(UInt16.self)` of JSONDecoder on Linux, it
    /// names the field in the error if the number does not fit.
    func integerIfPresent<T: FixedWidthInteger>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let number = try decodeIfPresent(Double.self, forKey: key) else { return nil }
        guard let value = T(exactly: number) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "expected a whole number, \(T.min) to \(T.max)")
        }
        return value
    }
}
