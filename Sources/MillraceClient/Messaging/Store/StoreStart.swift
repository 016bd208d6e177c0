/// How a store goes on after a login.
struct StoreStart: Equatable, Sendable {
    /// What was stored was of no use.
    var isReset: Bool
    /// Changes are to be asked for from there.
    var since: Int64
}
