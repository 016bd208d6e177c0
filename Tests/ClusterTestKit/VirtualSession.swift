import Cluster
import MediaBase
import Signaling

/// State of a session at its home relay in a `VirtualCluster`: the numbers of all changes that clients have made, and a seat for each client.
struct VirtualSession {
    /// Change whose client waits for the answer.
    struct Unanswered {
        /// Number by the saver.
        let change: UInt64
        let number: Int
        let client: Int
        /// Attempt in which the client made the change.
        let attempt: Int
        let begin: MediaTime
    }

    /// Number of this state. Answers of the store for another one are dropped.
    let number: Int
    /// Nil until the state of the previous home relay is loaded.
    var saver: StateSaver?
    var changes: [Int] = []
    var seats: [ConnectionID: String] = [:]
    /// Oldest first.
    var unanswered: [Unanswered] = []
    /// Clients that wait until the state is loaded.
    var entering: [(client: Int, attempt: Int)] = []
    /// Time of the next timer.
    var timerTime = MediaTime.zero

    static func seat(_ client: Int) -> ConnectionID { ConnectionID(rawValue: "c\(client)") }

    static func text(_ changes: [Int]) -> String { changes.map(String.init).joined(separator: ",") }

    static func changes(_ text: String?) -> [Int] { (text ?? "").split(separator: ",").compactMap { Int($0) } }
}
