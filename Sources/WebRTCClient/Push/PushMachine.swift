package import MediaBase

/// Rules of one WHIP push (RFC 9725): posts an offer, waits for the media path, and starts again with a new resource when
/// the server refuses or is lost, for as long as the push is on. A lost path is first restored by an ICE restart, if the
/// server takes it. Deletes each resource that the server created.
///
/// Does no IO and reads no clock. The caller performs the effects in their order and reports their results; it bounds the
/// time of each call, so that every call is answered.
package struct PushMachine {
    package struct Limits: Sendable {
        /// Time between the first two tries; it doubles with each further failure.
        package var firstRetry = MediaTime.seconds(1)
        package var longestRetry = MediaTime.seconds(30)
        /// Time that a connection lasts before `firstRetry` applies again. A server that accepts and then closes every
        /// connection would otherwise be called each second.
        package var settledTime = MediaTime.seconds(10)
        /// Time in which an ICE restart must restore the path. Afterwards a new resource is made. With the silence before it,
        /// it is shorter than the time after which consent expires (RFC 7675 section 5.1: 30 s).
        package var restartTime = MediaTime.seconds(12)

        package init() {}
    }

    package enum Effect: Sendable, Hashable {
        /// Create a connection, with a new offer.
        case connect
        /// Post the connection's offer; `answered` takes the result.
        case post(call: UInt64, url: String)
        /// Pass the server's session description to the connection. `connected` or `failed` follows.
        case accept([UInt8])
        /// Patch the resource with the connection's candidates; `answered` takes the result.
        case patchCandidates(call: UInt64, url: String, tag: EntityTag)
        /// Begin an ICE restart: make new credentials and candidates, and patch the resource with them (`If-Match: *`);
        /// `answered` takes the result. Until `resume` the connection continues with its credentials. Replaces an earlier
        /// restart that was not answered.
        case patchRestart(call: UInt64, url: String)
        /// Pass the server's answer to the ICE restart to the connection. `pathRestored` or `failed` follows.
        case resume([UInt8])
        /// Discard the new credentials and candidates: the connection continues with those of before the ICE restart.
        case abandonRestart
        /// Pass further candidates of the server to the connection.
        case addCandidates([UInt8])
        /// Close the connection.
        case disconnect
        /// Delete the resource; `answered` takes the result.
        case delete(call: UInt64, url: String)
        case report(PushReport)
    }

    enum Phase {
        case idle
        case posting(call: UInt64, isRedirected: Bool)
        case connecting(PushResource?)
        case live(PushResource?, since: MediaTime)
        case restarting(PushResource, PushRestart)
        case waiting(until: MediaTime)
        /// Stopped; a resource may still be being deleted.
        case stopped
    }

    private let url: String
    let limits: Limits
    private var random: any RandomNumberGenerator
    var phase = Phase.idle
    private var calls: UInt64 = 0
    /// Call that deletes the previous resource. The next offer waits for it, because a server may refuse a second
    /// publisher until the first one is gone.
    private var deletion: UInt64?
    /// Call that sends candidates. Its answer has no effect once the ICE session has ended.
    var candidatesCall: UInt64?
    /// Number of failures since the last settled connection.
    private var failures = 0
    private var isStopping = false
    /// Whether the offer that is being posted no longer describes the stream.
    private var isOutdated = false
    var effects: [Effect] = []

    /// - Parameter url: WHIP endpoint.
    package init(
        url: String, limits: Limits = Limits(),
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.url = url
        self.limits = limits
        self.random = random
    }

    /// Whether the push is connected. It still is during an ICE restart.
    package var isLive: Bool {
        switch phase {
        case .live: true
        case .restarting(_, let restart): restart.liveSince != nil
        case .idle, .posting, .connecting, .waiting, .stopped: false
        }
    }

    /// Whether the push was stopped and has no call in progress: there is nothing left to do.
    package var isEnded: Bool { if case .stopped = phase { deletion == nil } else { false } }

    /// Time of the next call of `handleTimeout`.
    package var deadline: MediaTime {
        switch phase {
        case .waiting(let until): deletion == nil ? until : .never
        case .restarting(_, let restart): restart.next
        case .idle, .posting, .connecting, .live, .stopped: .never
        }
    }

    /// Returns the effects of the calls since the last time, in their order.
    package mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    // MARK: inputs

    package mutating func start() {
        guard case .idle = phase else { return }
        open()
    }

    package mutating func handleTimeout(now: MediaTime) {
        guard deadline <= now else { return }
        if case .restarting(let resource, let restart) = phase {
            continueRestart(restart, of: resource, now: now)
        } else {
            open()
        }
    }

    /// Takes the result of a call.
    package mutating func answered(call: UInt64, _ result: Result<PushAnswer, PushFailure>, now: MediaTime) {
        if call == deletion {
            // A resource whose deletion failed ends with its media path.
            deletion = nil
            return handleTimeout(now: now)
        }
        if call == candidatesCall {
            candidatesCall = nil
            return candidatesAnswered(result, now: now)
        }
        switch (phase, result) {
        case (.posting(call, let isRedirected), .success(let answer)):
            take(answer, isRedirected: isRedirected, now: now)
        case (.posting(call, _), .failure(let failure)): fail(failure, resource: nil, now: now)
        case (.restarting(let resource, let restart), _) where restart.asks(call):
            restartAnswered(result, restart, of: resource, now: now)
        default: break
        }
    }

    /// Reports that the connection is established.
    package mutating func connected(now: MediaTime) {
        switch phase {
        case .connecting(let resource): phase = .live(resource, since: now)
        case .restarting(_, let restart) where restart.liveSince == nil: connectedDuringRestart(now: now)
        case .idle, .posting, .live, .restarting, .waiting, .stopped: return
        }
        effects.append(.report(.live))
    }

    /// Reports that the connection could not be established or was lost.
    package mutating func failed(_ failure: PushFailure, now: MediaTime) {
        switch phase {
        case .posting:
            // The offer could not be made, so that its call is never answered.
            fail(failure, resource: nil, now: now)
        case .connecting(let resource): fail(failure, resource: resource, now: now)
        case .live(let resource, let since): lose(resource, liveSince: since, failure, now: now)
        case .restarting(let resource, let restart):
            lose(resource, liveSince: restart.liveSince, failure, now: now)
        case .idle, .waiting, .stopped: break
        }
    }

    /// Reports that the stream has other tracks or another codec: a new offer is needed.
    package mutating func renew(now: MediaTime) {
        switch phase {
        case .posting: isOutdated = true
        case .connecting(let resource), .live(let resource, _): reopen(resource, now: now)
        case .restarting(let resource, _): reopen(resource, now: now)
        case .idle, .waiting, .stopped: break
        }
    }

    /// Ends the push. An offer whose answer is outstanding is waited for, because its resource must be deleted.
    package mutating func stop() {
        guard !isStopping else { return }
        isStopping = true
        switch phase {
        case .posting: break
        case .connecting(let resource), .live(let resource, _): finish(resource)
        case .restarting(let resource, _): finish(resource)
        case .idle, .waiting: phase = .stopped
        case .stopped: break
        }
    }

    // MARK: steps

    private mutating func open() {
        isOutdated = false
        effects.append(.connect)
        post(to: url, isRedirected: false)
    }

    private mutating func post(to url: String, isRedirected: Bool) {
        let call = nextCall()
        phase = .posting(call: call, isRedirected: isRedirected)
        effects.append(.post(call: call, url: url))
    }

    mutating func nextCall() -> UInt64 {
        calls &+= 1
        return calls
    }

    private mutating func take(_ answer: PushAnswer, isRedirected: Bool, now: MediaTime) {
        switch answer.status {
        case 200, 201:
            let resource = answer.location.map { PushResource(url: $0, tag: answer.tag) }
            if isStopping { return finish(resource) }
            if isOutdated { return reopen(resource, now: now) }
            phase = .connecting(resource)
            effects.append(.accept(answer.body))
        case 307 where !isRedirected && !isStopping:
            guard let location = answer.location else {
                return fail(.unusableAnswer("the redirection has no Location"), resource: nil, now: now)
            }
            post(to: location, isRedirected: true)
        default:
            fail(.refused(status: answer.status, retryAfter: answer.retryAfter), resource: nil, now: now)
        }
    }

    /// Gives up a connection that was established at `liveSince`.
    mutating func lose(_ resource: PushResource?, liveSince: MediaTime?, _ failure: PushFailure, now: MediaTime) {
        if let liveSince, now - liveSince >= limits.settledTime { failures = 0 }
        fail(failure, resource: resource, now: now)
    }

    private mutating func fail(_ failure: PushFailure, resource: PushResource?, now: MediaTime) {
        if isStopping { return finish(resource) }
        guard !failure.isFinal else {
            isStopping = true
            finish(resource)
            return effects.append(.report(.failed(failure, retryIn: nil)))
        }
        effects.append(.disconnect)
        delete(resource)
        var delay = nextDelay()
        if case .refused(_, let wanted?) = failure { delay = min(max(delay, wanted), limits.longestRetry) }
        phase = .waiting(until: now + delay)
        effects.append(.report(.failed(failure, retryIn: delay)))
    }

    /// Closes the connection and opens another one as soon as the resource is deleted.
    private mutating func reopen(_ resource: PushResource?, now: MediaTime) {
        effects.append(.disconnect)
        phase = .waiting(until: now + limits.firstRetry)
        delete(resource)
    }

    private mutating func finish(_ resource: PushResource?) {
        effects.append(.disconnect)
        phase = .stopped
        delete(resource)
    }

    private mutating func delete(_ resource: PushResource?) {
        candidatesCall = nil
        guard let resource else { return }
        let call = nextCall()
        deletion = call
        effects.append(.delete(call: call, url: resource.url))
    }

    /// Returns the time until the next try, up to a quarter longer than the doubled one: pushes that lost the same server
    /// do not call it at the same time.
    private mutating func nextDelay() -> MediaTime {
        failures += 1
        return Backoff(first: limits.firstRetry, longest: limits.longestRetry, factor: 1...1.25)
            .delay(failures: failures, using: &random)
    }
}
