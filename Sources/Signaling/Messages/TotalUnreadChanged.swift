/// Number of unread messages in all conversations that are not muted.
public struct TotalUnreadChanged: Hashable, Sendable, Codable {
    public var total: Int

    public init(total: Int) {
        self.total = total
    }
}
