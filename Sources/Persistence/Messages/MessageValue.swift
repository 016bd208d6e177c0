/// Value of a statement's parameter.
enum MessageValue: Hashable, Sendable {
    case null
    case integer(Int64)
    /// Text of a column that statements compare.
    case text(String)
    /// Text of a message, which no statement compares.
    case body(String)

    init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
    init(_ value: Int) { self = .integer(Int64(value)) }
    init(_ value: Bool) { self = .integer(value ? 1 : 0) }
}
