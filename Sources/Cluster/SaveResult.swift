/// Result of saving a session's state.
package enum SaveResult: Hashable, Sendable {
    case saved
    /// The session's row in the store has another home relay or term, or there is none.
    case refused
    /// The store did not answer. It may have carried the save out, which can be repeated.
    case failed
}
