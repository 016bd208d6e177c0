import Cluster

extension Resolution.Unavailability {
    /// Explanation for people.
    var text: String {
        switch self {
        case .notMember: "the relay is not a member of its cluster at the moment"
        case .storeUnreachable: "the cluster's database does not answer, so no new session can begin"
        case .homeLost: "the relay of the session does not answer; another one takes the session over soon"
        case .unconfirmed: "the relay cannot confirm that it still runs the session"
        case .tooMany: "too many clients wait for a session"
        }
    }
}
