import HTTPTypes

extension HTTPField.Name {
    /// RFC 8288.
    static let link = Self("Link")!
    /// RFC 5789 section 3.1.
    static let acceptPatch = Self("Accept-Patch")!
    /// Linked Data Platform 1.0 section 7.1.
    static let acceptPost = Self("Accept-Post")!
}
