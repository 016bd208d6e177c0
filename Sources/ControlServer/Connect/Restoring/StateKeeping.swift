import Cluster
import Conference

/// State of a session that survives the loss of its home relay, and the requests that wait until the store has it.
struct StateKeeping {
    struct Waiting {
        var change: UInt64
        /// Resumed with false if another relay runs the session.
        var continuation: CheckedContinuation<Bool, Never>
    }

    var saver: StateSaver
    /// Rules that were noted last.
    var essence: SessionEssence?
    /// At most one request of each client.
    var waiting: [Waiting] = []
}
