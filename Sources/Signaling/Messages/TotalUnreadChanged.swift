/// Unread messages of all conversations that are not muted (CHT-5).
public struct TotalUnreadChanged: Hashable, Sendable, Codable {
    public var total: Int

    public init(total: Int) {
        self.total = total
    }
}
