package import Signaling

/// Location of a participant in a session. Only participants in the same location exchange media (SUB-3).
package enum Location: Hashable, Sendable, Codable {
    case mainSession
    case subsession(SubsessionID)

    package init(_ subsession: SubsessionID?) {
        self = subsession.map { .subsession($0) } ?? .mainSession
    }

    /// The subsession; nil in the main session.
    package var subsession: SubsessionID? {
        if case .subsession(let id) = self { id } else { nil }
    }
}
