public struct ChatAllowedChanged: Hashable, Sendable, Codable {
    public var isAllowed: Bool
    public init(isAllowed: Bool) { self.isAllowed = isAllowed }
}
