import MediaBase

/// ICE restart of a push.
struct PushRestart {
    enum Step {
        /// The server has not answered yet.
        case asking(call: UInt64)
        /// The server refused for the moment, and is asked again at this time.
        case waiting(until: MediaTime)
        /// The server has answered, and its candidates are being checked.
        case checking
    }

    var step: Step
    /// Time by which the path must work.
    let deadline: MediaTime
    /// Time since which the push is live; nil if it was not connected before.
    var liveSince: MediaTime?
    /// Whether the server answers checks of the ICE session before the restart, which continues if the server refuses the restart.
    var pathWorks: Bool

    /// Time of the next step without an answer of the server.
    var next: MediaTime {
        if case .waiting(let until) = step { min(until, deadline) } else { deadline }
    }

    /// Returns whether the restart waits for the answer to a call.
    func asks(_ call: UInt64) -> Bool {
        if case .asking(call) = step { true } else { false }
    }
}
