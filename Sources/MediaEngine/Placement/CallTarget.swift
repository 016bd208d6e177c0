import MediaBase

/// Worker that runs a control call.
enum CallTarget {
    /// The home worker of a session.
    case home(session: String)
    /// The home worker of a session, which the call may open.
    case opening(session: String)
    /// The worker of a new subscriber of a session.
    /// - Parameter opens: the call may open the session.
    case subscriber(session: String, opens: Bool)
    /// The worker of a transport.
    case transport(TransportID, session: String)

    /// Worker of a call that opens a transport: a publisher may open its session, and a subscriber of one stream needs a session.
    static func transport(publishes: Bool, session: String) -> CallTarget {
        publishes ? .opening(session: session) : .subscriber(session: session, opens: false)
    }

    var session: String {
        switch self {
        case .home(let session), .opening(let session), .subscriber(let session, _), .transport(_, let session): session
        }
    }
}
