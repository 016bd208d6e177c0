package import MediaBase

/// Rules of one WHIP push (RFC 9725): posts an offer, waits for the media path, and starts again with a new resource when
/// the server refuses or is lost, for as long as the push is on. Deletes each resource that the server created.
///
/// Does no IO and reads no clock. The caller performs the effects in their order and reports their results; it bounds the
/// time of each call, so that every `post` and `delete` is answered.
package struct PushMachine {
    package struct Limits: Sendable {
        /// Time between the first two tries; it doubles with each further failure.
        package var firstRetry = MediaTime.seconds(1)
        package var longestRetry = MediaTime.seconds(30)
        /// Time that a connection lasts before `firstRetry` applies again. A server that accepts and then closes every
        /// connection would otherwise be called each second.
        package var settledTime = MediaTime.seconds(10)

        package init() {}
    }

    package enum Effect: Sendable, Hashable {
        /// Create a connection, with a new offer.
        case connect
        /// Post the connection's offer; `answered` takes the result.
        case post(call: UInt64, url: String)
        /// Pass the server's session description to the connection. `connected` or `failed` follows.
        case accept([UInt8])
        /// Close the connection.
        case disconnect
        /// Delete the resource; `answered` takes the result.
        case delete(call: UInt64, url: String)
        case report(PushReport)
    }

    private enum Phase {
        case idle
        case posting(call: UInt64, isRedirected: Bool)
        case connecting(resource: String?)
        case live(resource: String?, since: MediaTime)
        case waiting(until: MediaTime)
        /// Stopped; a resource may still be being deleted.
        case stopped
    }

    private let url: String
    private let limits: Limits
    private var random: any RandomNumberGenerator
    private var phase = Phase.idle
    private var calls: UInt64 = 0
    /// Call that deletes the previous resource. The next offer waits for it, because a server may refuse a second
    /// publisher until the first one is gone.
    private var deletion: UInt64?
    /// Number of failures since the last settled connection.
    private var failures = 0
    private var isStopping = false
    /// Whether the offer that is being posted no longer describes the stream.
    private var isOutdated = false
    private var effects: [Effect] = []

    /// - Parameter url: WHIP endpoint.
    package init(
        url: String, limits: Limits = Limits(),
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.url = url
        self.limits = limits
        self.random = random
    }

    package var isLive: Bool { if case .live = phase { true } else { false } }

    /// Whether the push was stopped and has no call in progress: there is nothing left to do.
    package var isEnded: Bool { if case .stopped = phase { deletion == nil } else { false } }

    /// Time of the next call of `handleTimeout`.
    package var deadline: MediaTime {
        if case .waiting(let until) = phase, deletion == nil { until } else { .never }
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
        if deadline <= now { open() }
    }

    /// Takes the result of a `post` or `delete`.
    package mutating func answered(call: UInt64, _ result: Result<PushAnswer, PushFailure>, now: MediaTime) {
        if call == deletion {
            // A resource whose deletion failed ends with its media path.
            deletion = nil
            return handleTimeout(now: now)
        }
        guard case .posting(call, let isRedirected) = phase else { return }
        switch result {
        case .success(let answer): take(answer, isRedirected: isRedirected, now: now)
        case .failure(let failure): fail(failure, resource: nil, now: now)
        }
    }

    /// Reports that the connection is established.
    package mutating func connected(now: MediaTime) {
        guard case .connecting(let resource) = phase else { return }
        phase = .live(resource: resource, since: now)
        effects.append(.report(.live))
    }

    /// Reports that the connection could not be established or was lost.
    package mutating func failed(_ failure: PushFailure, now: MediaTime) {
        switch phase {
        case .posting:
            // The offer could not be made, so that its call is never answered.
            fail(failure, resource: nil, now: now)
        case .connecting(let resource): fail(failure, resource: resource, now: now)
        case .live(let resource, let since):
            if now - since >= limits.settledTime { failures = 0 }
            fail(failure, resource: resource, now: now)
        case .idle, .waiting, .stopped: break
        }
    }

    /// Reports that the stream has other tracks or another codec: a new offer is needed.
    package mutating func renew(now: MediaTime) {
        switch phase {
        case .posting: isOutdated = true
        case .connecting(let resource), .live(let resource, _): restart(resource, now: now)
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
        calls &+= 1
        phase = .posting(call: calls, isRedirected: isRedirected)
        effects.append(.post(call: calls, url: url))
    }

    private mutating func take(_ answer: PushAnswer, isRedirected: Bool, now: MediaTime) {
        switch answer.status {
        case 200, 201:
            if isStopping { return finish(answer.location) }
            if isOutdated { return restart(answer.location, now: now) }
            phase = .connecting(resource: answer.location)
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

    private mutating func fail(_ failure: PushFailure, resource: String?, now: MediaTime) {
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
    private mutating func restart(_ resource: String?, now: MediaTime) {
        effects.append(.disconnect)
        phase = .waiting(until: now + limits.firstRetry)
        delete(resource)
    }

    private mutating func finish(_ resource: String?) {
        effects.append(.disconnect)
        phase = .stopped
        delete(resource)
    }

    private mutating func delete(_ resource: String?) {
        guard let resource else { return }
        calls &+= 1
        deletion = calls
        effects.append(.delete(call: calls, url: resource))
    }

    /// Returns the time until the next try, up to a quarter longer than the doubled one: pushes that lost the same server
    /// do not call it at the same time.
    private mutating func nextDelay() -> MediaTime {
        failures += 1
        return Backoff(first: limits.firstRetry, longest: limits.longestRetry, factor: 1...1.25)
            .delay(failures: failures, using: &random)
    }
}
