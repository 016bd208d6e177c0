import MediaBase
import MillraceTestKit
import WebRTCClient

/// A push's rules with a model of its caller, in virtual time.
struct PushBench {
    static let url = "https://live.example/whip"
    static let resource = "https://live.example/r/1"

    var machine = PushMachine(url: PushBench.url, random: SeededGenerator(seed: 1))
    var now = MediaTime.seconds(100)
    /// All effects, without the numbers of calls.
    private(set) var log: [String] = []
    private(set) var reports: [PushReport] = []
    /// Calls without an answer.
    private(set) var posts: [UInt64] = []
    private(set) var deletions: [UInt64] = []
    private(set) var candidates: [UInt64] = []
    private(set) var restarts: [UInt64] = []
    private(set) var hasConnection = false
    /// Whether the connection has new credentials that the server has not answered.
    private(set) var isRestarting = false
    /// Effects that the connection cannot perform, such as a second connection, and answers to calls that were not made.
    private(set) var faults = 0

    init() {}

    /// Performs the machine's effects.
    mutating func settle() {
        for effect in machine.takeEffects() {
            switch effect {
            case .connect:
                if hasConnection { faults += 1 }
                hasConnection = true
                log.append("connect")
            case .post(let call, let url):
                posts.append(call)
                log.append("post \(url)")
            case .accept:
                need(hasConnection)
                log.append("accept")
            case .patchCandidates(let call, let url, let tag):
                need(hasConnection)
                candidates.append(call)
                log.append("candidates \(url) \(tag.text)")
            case .patchRestart(let call, let url):
                need(hasConnection)
                isRestarting = true
                restarts.append(call)
                log.append("restart \(url)")
            case .resume:
                need(hasConnection && isRestarting)
                isRestarting = false
                log.append("resume")
            case .abandonRestart:
                need(hasConnection && isRestarting)
                isRestarting = false
                log.append("abandon")
            case .addCandidates:
                need(hasConnection)
                log.append("add")
            case .disconnect:
                hasConnection = false
                isRestarting = false
                log.append("disconnect")
            case .delete(let call, let url):
                deletions.append(call)
                log.append("delete \(url)")
            case .report(let report): reports.append(report)
            }
        }
    }

    private mutating func need(_ condition: Bool) { if !condition { faults += 1 } }

    /// Returns the effects since the last call.
    mutating func takeLog() -> [String] {
        settle()
        defer { log = [] }
        return log
    }

    mutating func start() {
        machine.start()
        settle()
    }

    mutating func answerPost(_ result: Result<PushAnswer, PushFailure>) {
        guard let call = posts.popLast() else { return faults += 1 }
        machine.answered(call: call, result, now: now)
        settle()
    }

    mutating func answerDeletion(_ result: Result<PushAnswer, PushFailure> = .success(PushAnswer(status: 200))) {
        guard let call = deletions.popLast() else { return faults += 1 }
        machine.answered(call: call, result, now: now)
        settle()
    }

    mutating func answerCandidates(_ result: Result<PushAnswer, PushFailure>) {
        guard let call = candidates.popLast() else { return faults += 1 }
        machine.answered(call: call, result, now: now)
        settle()
    }

    /// Answers the latest restart, or the first one that has no answer yet.
    mutating func answerRestart(_ result: Result<PushAnswer, PushFailure>, isFirst: Bool = false) {
        guard !restarts.isEmpty else { return faults += 1 }
        machine.answered(call: isFirst ? restarts.removeFirst() : restarts.removeLast(), result, now: now)
        settle()
    }

    /// Takes a restart, whose ICE session gets this tag.
    mutating func acceptRestart(tag: String = "\"2\"") {
        answerRestart(.success(PushAnswer(status: 200, tag: EntityTag(tag), body: [2])))
    }

    /// - Parameter tag: of the ICE session; nil: the server takes no restarts.
    mutating func accept(tag: String? = nil) {
        answerPost(
            .success(PushAnswer(status: 201, location: Self.resource, tag: tag.flatMap { EntityTag($0) }, body: [1])))
    }

    mutating func connect() {
        machine.connected(now: now)
        settle()
    }

    mutating func gather() {
        machine.gathered()
        settle()
    }

    mutating func losePath() {
        machine.pathLost(now: now)
        settle()
    }

    mutating func restorePath() {
        machine.pathRestored(now: now)
        settle()
    }

    mutating func changeNetwork() {
        machine.networkChanged(now: now)
        settle()
    }

    mutating func renew() {
        machine.renew(now: now)
        settle()
    }

    mutating func fail(_ failure: PushFailure = .connectionLost("test")) {
        machine.failed(failure, now: now)
        settle()
    }

    mutating func stop() {
        machine.stop()
        settle()
    }

    /// Lets time pass; the machine's timer runs when it is due.
    mutating func pass(_ time: MediaTime) {
        let end = now + time
        for _ in 0..<100 where machine.deadline <= end {
            now = max(now, machine.deadline)
            machine.handleTimeout(now: now)
            settle()
        }
        now = end
    }

    /// Returns the time until the next try.
    var wait: MediaTime { machine.deadline - now }
}
