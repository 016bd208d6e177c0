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
    private(set) var hasConnection = false
    /// Connections that were open at the same time, and connections that were closed without being open.
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
            case .accept: log.append("accept")
            case .disconnect:
                hasConnection = false
                log.append("disconnect")
            case .delete(let call, let url):
                deletions.append(call)
                log.append("delete \(url)")
            case .report(let report): reports.append(report)
            }
        }
    }

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

    mutating func accept() { answerPost(.success(PushAnswer(status: 201, location: Self.resource, body: [1]))) }

    mutating func connect() {
        machine.connected(now: now)
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
        if machine.deadline <= end {
            now = max(now, machine.deadline)
            machine.handleTimeout(now: now)
            settle()
        }
        now = end
    }

    /// Returns the time until the next try.
    var wait: MediaTime { machine.deadline - now }
}
