/// Relation of a part of a session to the home part, as the part's worker knows it.
struct PartOrigin {
    /// Home worker of the session.
    let home: Int
    /// Number of the part among those that its worker has had.
    let number: UInt64
    /// Whether the streams of the session are known.
    var isSynchronized = false
    /// Calls that wait until the streams are known.
    var waiting: [@Sendable (Worker, EngineError?) -> Void] = []
}
