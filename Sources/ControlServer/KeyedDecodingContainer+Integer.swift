extension KeyedDecodingContainer {
    /// A whole number in `T`'s range; nil where the field is absent or null. Unlike `decode(UInt16.self)` of Linux's JSONDecoder
    /// it says in the error which field does not fit.
    func integerIfPresent<T: FixedWidthInteger>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let number = try decodeIfPresent(Double.self, forKey: key) else { return nil }
        guard let value = T(exactly: number) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "expected a whole number, \(T.min) to \(T.max)")
        }
        return value
    }
}
