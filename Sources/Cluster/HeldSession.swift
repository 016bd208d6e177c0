import Signaling

/// Session whose home relay is this one.
struct HeldSession: Sendable {
    let id: SessionID
    var term: Int64
    /// Whether it has ended here, but maybe not in the store yet.
    var isEnding = false
}
