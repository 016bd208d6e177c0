import Signaling

/// Session whose home relay is this one.
struct HeldSession: Sendable {
    let id: SessionID
    var term: Int64
    /// Whether another relay may have saved state of it: this one has taken it over.
    var mayHaveState = false
    /// Whether it has ended here, but maybe not in the store yet.
    var isEnding = false
}
