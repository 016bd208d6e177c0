package import Signaling

/// Where somebody is in a session: those in the same place hear and see each other (SUB-3).
package enum Place: Hashable, Sendable {
    case mainSession
    case subsession(SubsessionID)

    package init(_ subsession: SubsessionID?) {
        self = subsession.map { .subsession($0) } ?? .mainSession
    }

    /// Nil: the main session.
    package var subsession: SubsessionID? {
        if case .subsession(let id) = self { id } else { nil }
    }
}
