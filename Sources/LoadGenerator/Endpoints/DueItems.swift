/// Items of a source in order, for one publisher; confined to a thread.
struct DueItems<Item: SourceItem> {
    private let latest: SourceRing<Item>
    /// Nanoseconds from the encoding of an item to its sending.
    private let offset: Int64
    private var next: Int64
    private var pending: Item?

    init(_ latest: SourceRing<Item>, offset: Int64) {
        self.latest = latest
        self.offset = offset
        next = latest.next
    }

    /// Time at which the next known item is due, or `Int64.max`.
    var deadline: Int64 { pending.map { $0.ready + offset } ?? .max }

    /// Returns the next item that is due; nil if there is none.
    mutating func take(now: Int64, counting statistics: inout SendStatistics) -> Item? {
        pending = pending ?? latest.item(next)
        guard let item = pending, item.ready + offset <= now else { return nil }
        statistics.account(late: now - item.ready - offset, missed: item.number - next)
        next = item.number + 1
        pending = nil
        return item
    }
}
