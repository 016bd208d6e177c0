import MediaBase
import NIOConcurrencyHelpers
package import Signaling

/// Counters of the HTTP endpoints. Requests are rare compared with packets, so a lock is cheap enough.
package final class ControlStatistics: Sendable {
    package struct Values: Sendable {
        package var connections = 0
        package var connectionsTotal: UInt64 = 0
        /// Pauses of accepting because the process was short of file descriptors.
        package var acceptPauses: UInt64 = 0
        /// Answers by status code.
        package var answers: [Int: UInt64] = [:]
        /// Error answers by code.
        package var problems: [ErrorCode: UInt64] = [:]
        /// Refusals because of a limit, by its configuration key.
        package var limits: [String: UInt64] = [:]
        /// Canvas bodies being sent.
        package var bodies = 0
        package var bodyBytes: UInt64 = 0
        /// Frames and audio blocks that slow readers of canvas bodies did not receive.
        package var bodyDrops: UInt64 = 0
        /// Reported jumps of RTP time in canvas bodies.
        package var bodyRestarts: UInt64 = 0
        /// Bodies of live streams being sent.
        package var liveBodies = 0
        package var liveBytes: UInt64 = 0
        /// Number of times that a reader of a live stream fell behind and continued with a key frame.
        package var liveSkips: UInt64 = 0
        /// Readers of live streams that were disconnected because they fell behind too often.
        package var liveDisconnects: UInt64 = 0
        /// WHEP requests that wait for a stream.
        package var waits = 0
        /// Links for media of sessions that ended because the other relay was lost.
        package var mediaLinksLost: UInt64 = 0
        package var connect = ConnectCounts()
    }

    private let state = NIOLockedValueBox(Values())

    package init() {}

    package var values: Values { state.withLockedValue { $0 } }

    func connectionOpened() {
        state.withLockedValue {
            $0.connections += 1
            $0.connectionsTotal += 1
        }
    }

    func acceptPaused() { state.withLockedValue { $0.acceptPauses += 1 } }

    func connectionClosed() { state.withLockedValue { $0.connections -= 1 } }

    func answered(_ status: Int) { state.withLockedValue { $0.answers[status, default: 0] += 1 } }

    /// Counts an error answer of the router.
    func problem(_ problem: Problem) {
        state.withLockedValue {
            $0.problems[problem.code, default: 0] += 1
            if let limit = problem.limit { $0.limits[limit, default: 0] += 1 }
        }
    }

    /// Counts an error answer of a connection, sent before the router.
    func refused(_ problem: Problem) {
        self.problem(problem)
        answered(problem.code.status.code)
    }

    func waitBegan() { state.withLockedValue { $0.waits += 1 } }
    func waitEnded() { state.withLockedValue { $0.waits -= 1 } }

    func bodyBegan() { state.withLockedValue { $0.bodies += 1 } }
    func bodyEnded() { state.withLockedValue { $0.bodies -= 1 } }

    /// - Parameter dropped: frames and audio blocks that the reader missed since the last call.
    func bodySent(_ bytes: Int, dropped: UInt64) {
        state.withLockedValue {
            $0.bodyBytes += UInt64(bytes)
            $0.bodyDrops &+= dropped
        }
    }

    func liveBegan() { state.withLockedValue { $0.liveBodies += 1 } }
    func liveEnded() { state.withLockedValue { $0.liveBodies -= 1 } }
    func liveSent(_ bytes: Int) { state.withLockedValue { $0.liveBytes += UInt64(bytes) } }
    func liveSkipped() { state.withLockedValue { $0.liveSkips += 1 } }
    func liveDisconnected() { state.withLockedValue { $0.liveDisconnects += 1 } }

    func bodyRestarted(_ count: UInt64) { state.withLockedValue { $0.bodyRestarts += count } }

    func mediaLinkLost() { state.withLockedValue { $0.mediaLinksLost += 1 } }

    // MARK: the control protocol

    func socketOpened() {
        state.withLockedValue {
            $0.connect.sockets += 1
            $0.connect.socketsTotal += 1
        }
    }

    func socketClosed() { state.withLockedValue { $0.connect.sockets -= 1 } }
    func messageReceived() { state.withLockedValue { $0.connect.messagesReceived += 1 } }

    func messagesSent(_ count: Int) {
        if count > 0 { state.withLockedValue { $0.connect.messagesSent += UInt64(count) } }
    }

    /// - Parameter delay: time from the request to its answer.
    func joined(after delay: MediaTime) {
        state.withLockedValue {
            $0.connect.joins += 1
            $0.connect.joinDelay.record(delay, packets: 1)
        }
    }

    func resumed() { state.withLockedValue { $0.connect.resumes += 1 } }
    func refused(_ code: ErrorCode) { state.withLockedValue { $0.connect.refusals[code, default: 0] += 1 } }

    func disconnected(_ reason: DisconnectReason) {
        state.withLockedValue { $0.connect.disconnects[reason, default: 0] += 1 }
    }

    func eventsMissed(_ count: UInt64) { state.withLockedValue { $0.connect.eventsMissed += count } }
    func queueOverflowed() { state.withLockedValue { $0.connect.queueOverflows += 1 } }
}
