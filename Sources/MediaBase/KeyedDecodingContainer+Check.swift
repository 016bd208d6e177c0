extension KeyedDecodingContainer {
    /// Throws a `DecodingError` if the values that were decoded break a rule of their type.
    /// - Parameters:
    ///   - rule: the rule, for the error.
    ///   - key: value that breaks it.
    package func check(_ isFulfilled: Bool, _ key: Key, _ rule: String) throws {
        guard isFulfilled else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: rule)
        }
    }
}
