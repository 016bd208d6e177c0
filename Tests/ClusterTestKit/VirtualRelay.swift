package import Cluster
package import MediaBase
import Signaling

/// Process of a relay in a `VirtualCluster`, with a clock of its own.
package final class VirtualRelay {
    /// State of the path between a relay and the store.
    package enum Path: Sendable {
        case open
        /// Requests fail at once.
        case refused
        /// Requests are lost, and fail by their time limit.
        case lost
        /// Requests are carried out, and their answers are lost.
        case answersLost
    }

    /// Client that waits for an answer.
    struct Question {
        let client: Int
        let asked: MediaTime
    }

    package internal(set) var member: ClusterMember
    /// Number of the process. Events for an earlier one are dropped.
    var process: Int
    /// Whether it runs; otherwise it was killed.
    package var isRunning = true
    /// Time until which the process is stopped.
    var stalledUntil = MediaTime.zero
    package var store = Path.open
    /// Whether another process has registered under its id.
    var isReplaced = false
    /// Deviation of the clock: its value at virtual time 0, and its rate in parts per million.
    let offset: MediaTime
    let rate: Int64
    /// Number of the latest timer. Earlier ones are dropped.
    var timer = 0
    var timerTime = MediaTime.never
    var questions: [ResolveTicket: Question] = [:]
    /// Clients of each session.
    var clients: [SessionID: Set<Int>] = [:]
    var states: [SessionID: VirtualSession] = [:]

    init(member: ClusterMember, process: Int, offset: MediaTime, rate: Int64) {
        self.member = member
        self.process = process
        self.offset = offset
        self.rate = rate
    }

    /// Returns the value of the relay's clock at a virtual time.
    package func clock(_ time: MediaTime) -> MediaTime {
        MediaTime(rawValue: offset.rawValue + time.rawValue + time.rawValue / 1_000_000 * rate)
    }

    /// Returns a virtual time at which the relay's clock has a value, or a little more.
    func time(_ clock: MediaTime) -> MediaTime {
        guard clock != .never else { return .never }
        let passed = clock.rawValue - offset.rawValue
        return MediaTime(rawValue: passed - passed / 1_000_000 * rate + 1_000_000)
    }

    /// Whether the relay may act at a virtual time.
    package func acts(_ time: MediaTime) -> Bool { isRunning && member.mayAct(clock(time)) }
}
