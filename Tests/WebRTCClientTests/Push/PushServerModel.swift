import MediaBase
import MillraceTestKit
import WebRTCClient

/// A push's rules with a caller and a server that do anything in any order, and the rules that hold whatever they do.
struct PushServerModel {
    private struct Resource {
        /// Entity-tags that the server named; nil for an answer without one.
        var tags: [String?]
        var isDeleted = false
        var refusesPatches = false
    }

    private enum Call {
        case post
        case candidates(String)
        case restart(String)
        case delete
    }

    private static let statuses = [200, 201, 204, 301, 400, 404, 405, 409, 412, 422, 428, 429, 500, 501, 503]
    /// Statuses of a server without `PATCH`.
    private static let refusals = [405, 501]

    private(set) var machine: PushMachine
    private var random: SeededGenerator
    private var now = MediaTime.seconds(1_000)
    private var calls: [UInt64: Call] = [:]
    private var resources: [String: Resource] = [:]
    private var hasConnection = false
    private var isRestarting = false
    /// Calls whose answers count.
    private var latestCandidates: UInt64?
    private var latestRestart: UInt64?
    private var answeredRestart: UInt64?
    private(set) var restarts = 0
    private(set) var connections = 0
    private(set) var broken: [String] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        machine = PushMachine(url: "https://live.example/whip", random: SeededGenerator(seed: seed &+ 1))
        machine.start()
        settle()
    }

    /// Performs one random step.
    mutating func step() {
        switch random.below(12) {
        case 0...3: answer()
        case 4: machine.connected(now: now)
        case 5: machine.pathLost(now: now)
        case 6: machine.pathRestored(now: now)
        case 7: machine.networkChanged(now: now)
        case 8: machine.gathered()
        // A connection whose offer is being posted does not fail.
        case 9 where random.below(4) == 0 && !isPosting: machine.failed(.connectionLost("test"), now: now)
        case 10 where random.below(8) == 0: machine.renew(now: now)
        default: pass()
        }
        settle()
    }

    /// Stops the push and answers all calls.
    mutating func end() {
        machine.stop()
        settle()
        for _ in 0..<10 where !calls.isEmpty {
            answer()
            settle()
        }
        need(machine.isEnded && !hasConnection && machine.deadline == .never, "it ends")
        let left = resources.values.filter { !$0.isDeleted }
        need(left.isEmpty, "each resource is deleted")
    }

    private var isPosting: Bool { calls.values.contains { if case .post = $0 { true } else { false } } }

    private mutating func pass() {
        now = now + .milliseconds(Int64(random.below(4_000)))
        machine.handleTimeout(now: now)
    }

    private mutating func answer() {
        guard let (number, call) = calls.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else { return }
        calls[number] = nil
        guard random.below(6) > 0 else {
            return machine.answered(call: number, .failure(.unreachable("test")), now: now)
        }
        var answer = PushAnswer(status: Self.statuses[random.below(Self.statuses.count)], body: [1])
        if random.below(2) == 0 { answer.status = 200 }
        if random.below(3) == 0 { answer.retryAfter = .seconds(Double(random.below(20))) }
        let tag = random.below(4) > 0 ? "\"\(number)\"" : nil
        answer.tag = tag.flatMap { EntityTag($0) }
        switch call {
        case .post where [200, 201].contains(answer.status):
            answer.location = "https://live.example/r/\(number)"
            resources["https://live.example/r/\(number)"] = Resource(tags: [tag])
        case .restart(let url) where answer.status == 200 && latestRestart == number:
            resources[url]?.tags.append(tag)
            answeredRestart = number
        case .candidates(let url) where Self.refusals.contains(answer.status) && latestCandidates == number,
            .restart(let url) where Self.refusals.contains(answer.status) && latestRestart == number:
            resources[url]?.refusesPatches = true
        case .post, .candidates, .restart, .delete: break
        }
        machine.answered(call: number, .success(answer), now: now)
    }

    private mutating func settle() {
        for effect in machine.takeEffects() {
            switch effect {
            case .connect:
                need(!hasConnection, "one connection at a time")
                need(!calls.values.contains { if case .delete = $0 { true } else { false } }, "deleted before")
                hasConnection = true
                connections += 1
            case .post(let call, _): calls[call] = .post
            case .accept, .addCandidates: need(hasConnection, "a connection takes an answer")
            case .patchCandidates(let call, let url, let tag):
                check(url)
                need(resources[url]?.tags.last == tag.text, "the latest tag")
                calls[call] = .candidates(url)
                latestCandidates = call
            case .patchRestart(let call, let url):
                check(url)
                need(resources[url]?.tags.first != .some(nil), "a server without tags restarts nothing")
                calls[call] = .restart(url)
                isRestarting = true
                latestRestart = call
                latestCandidates = nil
                restarts += 1
            case .resume:
                need(hasConnection && isRestarting && answeredRestart == latestRestart, "the latest restart resumes")
                isRestarting = false
            case .abandonRestart:
                need(hasConnection && isRestarting, "a restart is abandoned")
                isRestarting = false
                latestRestart = nil
            case .disconnect:
                hasConnection = false
                isRestarting = false
                latestRestart = nil
                latestCandidates = nil
            case .delete(let call, let url):
                need(resources[url]?.isDeleted == false, "deleted once")
                resources[url]?.isDeleted = true
                calls[call] = .delete
            case .report(let report):
                if report == .restarted { need(machine.isLive && hasConnection, "restarted while live") }
            }
        }
    }

    private mutating func check(_ url: String) {
        need(hasConnection, "a connection patches")
        need(resources[url].map { !$0.isDeleted && !$0.refusesPatches } ?? false, "a resource that takes PATCH")
    }

    private mutating func need(_ condition: Bool, _ rule: String) { if !condition { broken.append(rule) } }
}
