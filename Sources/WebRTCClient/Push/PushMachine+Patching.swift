package import MediaBase

/// Changes of the ICE session by `PATCH` (RFC 9725 section 4.3).
extension PushMachine {
    /// Time until the server is asked again for an ICE restart that it refused for the moment.
    private static let restartRetry = MediaTime.seconds(1)

    // MARK: candidates

    /// Reports that the connection has candidates which the server needs. They are sent once for each ICE session, because all are
    /// known when the server's answer is.
    package mutating func gathered() {
        let found: PushResource?
        switch phase {
        case .connecting(let resource), .live(let resource, _): found = resource
        case .idle, .posting, .restarting, .waiting, .stopped: return
        }
        guard candidatesCall == nil, let found, found.takesCandidates, let tag = found.tag else { return }
        let call = nextCall()
        candidatesCall = call
        effects.append(.patchCandidates(call: call, url: found.url, tag: tag))
    }

    /// Takes the answer to candidates. Without them the server learns the connection's addresses from its checks, so that no refusal
    /// ends the connection.
    mutating func candidatesAnswered(_ result: Result<PushAnswer, PushFailure>, now: MediaTime) {
        guard case .success(let answer) = result else { return }
        switch answer.status {
        case 200..<300:
            if !answer.body.isEmpty { effects.append(.addCandidates(answer.body)) }
        case 412:
            changeResource { $0.takesCandidates = false }
            // The server has another ICE session than the connection, whose checks it then does not answer.
            if case .connecting(let resource?) = phase, resource.restarts {
                restart(resource, liveSince: nil, pathWorks: false, now: now)
            }
        case 300..<500, 501:
            changeResource { resource in
                resource.takesCandidates = false
                resource.note(refusal: answer.status)
            }
        default: break
        }
    }

    private mutating func changeResource(_ change: (inout PushResource) -> Void) {
        switch phase {
        case .connecting(var resource?):
            change(&resource)
            phase = .connecting(resource)
        case .live(var resource?, let since):
            change(&resource)
            phase = .live(resource, since: since)
        case .idle, .posting, .connecting, .live, .restarting, .waiting, .stopped: break
        }
    }

    // MARK: ICE restarts

    /// Reports that the server has not answered checks for a while.
    package mutating func pathLost(now: MediaTime) {
        switch phase {
        case .live(let resource?, let since) where resource.restarts:
            restart(resource, liveSince: since, pathWorks: false, now: now)
        case .live(let resource, let since):
            lose(resource, liveSince: since, .connectionLost("the server does not answer checks"), now: now)
        case .restarting(let resource, var restart):
            restart.pathWorks = false
            phase = .restarting(resource, restart)
        case .idle, .posting, .connecting, .waiting, .stopped: break
        }
    }

    /// Reports that the server answers checks again, after `pathLost` or `resume`.
    package mutating func pathRestored(now: MediaTime) {
        guard case .restarting(let resource, var restart) = phase else { return }
        switch restart.step {
        case .asking:
            // The server may have begun the new ICE session already, in which the current one soon ends.
            restart.pathWorks = true
            phase = .restarting(resource, restart)
        case .waiting:
            effects.append(.abandonRestart)
            leaveRestart(restart, of: resource)
        case .checking:
            leaveRestart(restart, of: resource)
            if restart.liveSince != nil { effects.append(.report(.restarted)) }
        }
    }

    /// Reports that the connection has another local address. The server may still answer checks, which show it the new address.
    package mutating func networkChanged(now: MediaTime) {
        switch phase {
        case .live(let resource?, let since) where resource.restarts:
            restart(resource, liveSince: since, pathWorks: true, now: now)
        case .restarting(let resource, let restart):
            // The candidates of the restart are no longer those of the connection.
            ask(resource, restart)
        case .idle, .posting, .connecting, .live, .waiting, .stopped: break
        }
    }

    private mutating func restart(
        _ resource: PushResource, liveSince: MediaTime?, pathWorks: Bool, now: MediaTime
    ) {
        candidatesCall = nil
        ask(
            resource,
            PushRestart(
                step: .checking, deadline: now + limits.restartTime, liveSince: liveSince, pathWorks: pathWorks))
    }

    private mutating func ask(_ resource: PushResource, _ restart: PushRestart) {
        let call = nextCall()
        var restart = restart
        restart.step = .asking(call: call)
        phase = .restarting(resource, restart)
        effects.append(.patchRestart(call: call, url: resource.url))
    }

    /// Handles the timeout of a restart.
    mutating func continueRestart(_ restart: PushRestart, of resource: PushResource, now: MediaTime) {
        guard now < restart.deadline else {
            return refuseRestart(restart, of: resource, "the path was not restored in time", now: now)
        }
        ask(resource, restart)
    }

    mutating func restartAnswered(
        _ result: Result<PushAnswer, PushFailure>, _ restart: PushRestart, of resource: PushResource, now: MediaTime
    ) {
        var (restart, resource) = (restart, resource)
        switch result {
        case .failure(let failure): refuseRestart(restart, of: resource, "\(failure)", now: now)
        case .success(let answer) where answer.status == 200 && !answer.body.isEmpty:
            resource.tag = answer.tag
            restart.step = .checking
            restart.pathWorks = false
            phase = .restarting(resource, restart)
            effects.append(.resume(answer.body))
        case .success(let answer):
            let wait = max(answer.retryAfter ?? .zero, Self.restartRetry)
            if Self.isTemporary(answer.status), now + wait < restart.deadline, !restart.pathWorks {
                restart.step = .waiting(until: now + wait)
                phase = .restarting(resource, restart)
            } else {
                resource.restarts = Self.isTemporary(answer.status)
                resource.note(refusal: answer.status)
                refuseRestart(restart, of: resource, "status \(answer.status)", now: now)
            }
        }
    }

    /// Returns whether the same request may succeed later.
    private static func isTemporary(_ status: Int) -> Bool {
        status == 409 || status == 425 || status == 429 || (500..<600).contains(status) && status != 501
    }

    /// Ends a restart that the server refused, or that did not restore the path in time.
    private mutating func refuseRestart(
        _ restart: PushRestart, of resource: PushResource, _ reason: String, now: MediaTime
    ) {
        guard restart.pathWorks else {
            return lose(
                resource, liveSince: restart.liveSince, .connectionLost("ICE restart failed: \(reason)"), now: now)
        }
        effects.append(.abandonRestart)
        leaveRestart(restart, of: resource)
    }

    private mutating func leaveRestart(_ restart: PushRestart, of resource: PushResource) {
        phase = restart.liveSince.map { .live(resource, since: $0) } ?? .connecting(resource)
    }

    /// Takes the end of the handshake during a restart: the path works.
    mutating func connectedDuringRestart(now: MediaTime) {
        pathRestored(now: now)
        switch phase {
        case .restarting(let resource, var restart):
            restart.liveSince = now
            phase = .restarting(resource, restart)
        case .connecting(let resource): phase = .live(resource, since: now)
        case .idle, .posting, .live, .waiting, .stopped: break
        }
    }
}
