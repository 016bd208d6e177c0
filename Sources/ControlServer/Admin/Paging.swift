import Hummingbird

/// Query `?after=&limit=` of a list.
struct Paging {
    static let limits = 1...1_000
    static let standard = 100

    let after: String?
    let limit: Int

    init(_ request: Request) throws(Problem) {
        after = request.uri.queryParameters["after"].map { String($0) }.flatMap { $0.isEmpty ? nil : $0 }
        guard let text = request.uri.queryParameters["limit"] else {
            limit = Self.standard
            return
        }
        guard let value = Int(text), Self.limits.contains(value) else {
            throw Problem(
                .invalidField,
                "\"\(text)\" is not a whole number from \(Self.limits.lowerBound) to \(Self.limits.upperBound)",
                field: "limit")
        }
        limit = value
    }

    /// Returns one page of a complete list, and the `after` value of the next page.
    func page<Item>(of all: [Item], id: (Item) -> String) throws(Problem) -> (items: [Item], next: String?) {
        var rest = all[...]
        if let after {
            guard let index = all.firstIndex(where: { id($0) == after }) else {
                throw Problem(.invalidField, "the list has no entry with the id \"\(after)\"", field: "after")
            }
            rest = all[(index + 1)...]
        }
        let items = Array(rest.prefix(limit))
        return (items, items.count < rest.count ? items.last.map(id) : nil)
    }
}
