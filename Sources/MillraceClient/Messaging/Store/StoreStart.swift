/// State of a store after a login.
struct StoreStart: Equatable, Sendable {
    /// Whether the stored conversations were deleted because they belong to another user or relay store.
    var isReset: Bool
    /// Cursor from which to request changes.
    var since: Int64
}
