import Cluster
import Conference
import MediaBase

/// State of a session that survives the loss of its home relay, and the requests that wait until the store has it.
struct StateSaving {
    struct Waiting {
        var change: UInt64
        /// Time at which the wait began.
        var begin: MediaTime
        /// Resumed with false if another relay runs the session.
        var continuation: CheckedContinuation<Bool, Never>
    }

    /// Time between looks whether the relay still acts, and whether any relay reaches the store.
    static let lookInterval = MediaTime.milliseconds(200)

    var saver: StateSaver
    /// Rules that were noted last.
    var essence: SessionEssence?
    /// At most one request of each client.
    var waiting: [Waiting] = []
    /// Time of the next look at `waiting`.
    var nextLook = MediaTime.never

    /// Time of the next save or look.
    var deadline: MediaTime { waiting.isEmpty ? saver.deadline : min(saver.deadline, nextLook) }
}
