/// Resource that a WHIP server created, and what its server takes by `PATCH`.
struct PushResource: Hashable {
    let url: String
    /// Entity-tag of the current ICE session; nil if the server did not name it.
    var tag: EntityTag?
    /// False once the server has refused candidates. They are then not sent again.
    var takesCandidates = true
    /// False once the server has refused an ICE restart.
    var restarts: Bool

    /// - Parameter tag: a server that restarts ICE has to name it in its answer to the offer (RFC 9725 section 4.3.1).
    init(url: String, tag: EntityTag?) {
        self.url = url
        self.tag = tag
        restarts = tag != nil
    }

    /// Notes the status of a refusal if it shows that the server takes no `PATCH` at all.
    mutating func note(refusal status: Int) {
        guard status == 405 || status == 501 else { return }
        takesCandidates = false
        restarts = false
    }
}
