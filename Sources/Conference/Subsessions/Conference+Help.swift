import MediaBase
import Signaling

/// Help requests from subsessions (SUB-5). Each request has one result.
extension Conference {
    /// Opens a help request.
    /// - Returns: the sender's open request if there is one.
    mutating func requestHelp(_ sender: ConnectionID, now: MediaTime) throws(SignalingError) -> HelpRequestID {
        guard let subsession = subsessions.location(of: sender).subsession else {
            throw SignalingError(.notInSubsession)
        }
        if let open = helpRequests.first(where: { $0.user == sender }) { return open.id }
        helpMade += 1
        var request = OpenHelpRequest(
            id: HelpRequestID(rawValue: "h\(helpMade)"), user: sender, subsession: subsession,
            ends: now + limits.helpTime)
        let managers = clients.filter { isSubsessionManager($0) && participants[$0]?.info.isConnected == true }
        if managers.contains(where: { subsessions.location(of: $0) == .subsession(subsession) }) {
            tellResult(.hostAlreadyInSubsession, of: request)
            return request.id
        }
        request.asked = managers.filter { subsessions.location(of: $0) == .mainSession }
        guard !request.asked.isEmpty, helpRequests.count < limits.helpRequests else {
            tellResult(.busy, of: request)
            return request.id
        }
        helpRequests.append(request)
        for manager in request.asked { ask(manager, request) }
        return request.id
    }

    /// Handles a manager's answer, which accepts or ignores the request.
    mutating func answerHelp(
        _ answer: AnswerHelpRequest, by sender: ConnectionID, now: MediaTime
    ) throws(SignalingError) {
        guard let index = helpRequests.firstIndex(where: { $0.id == answer.request }),
            let position = helpRequests[index].asked.firstIndex(of: sender)
        else { throw SignalingError(.unknownHelpRequest, field: "request") }
        let request = helpRequests[index]
        guard answer.isAccepted else {
            helpRequests[index].asked.remove(at: position)
            helpRequests[index].ignoredBy.insert(sender)
            if helpRequests[index].asked.isEmpty { endHelp(request.id, .ignored) }
            return
        }
        try participants[sender]?.rates.admit(.move, limits, now: now)
        // The manager is in the subsession before any client is notified.
        helpRequests.remove(at: index)
        relocate(sender, to: .subsession(request.subsession), now: now)
        tellEnd(of: request, .idle, by: sender)
    }

    /// Ends a request: sends the result to the participant who asked, and withdraws the request from managers who have
    /// not answered.
    mutating func endHelp(_ id: HelpRequestID, _ result: HelpResult) {
        guard let index = helpRequests.firstIndex(where: { $0.id == id }) else { return }
        tellEnd(of: helpRequests.remove(at: index), result)
    }

    private mutating func tellEnd(of request: OpenHelpRequest, _ result: HelpResult, by manager: ConnectionID? = nil) {
        tellResult(result, of: request)
        for asked in request.asked where asked != manager {
            tell(asked, .helpEnded(HelpEnded(request: request.id)))
        }
    }

    /// Ends the request of a participant who left the subsession it asked from.
    mutating func withdrawHelp(of id: ConnectionID) {
        guard let request = helpRequests.first(where: { $0.user == id }) else { return }
        endHelp(request.id, .ignored)
    }

    /// Ends requests that were not answered in time.
    mutating func expireHelp(now: MediaTime) {
        while let first = helpRequests.first, first.ends <= now { endHelp(first.id, .ignored) }
    }

    /// Handles a manager who enters a location, or a participant who becomes manager. In a subsession, its open requests
    /// end; in the main session, the manager is asked all open requests.
    mutating func noteManager(_ id: ConnectionID, at location: Location) {
        guard let participant = participants[id], participant.isSubsessionManager else { return }
        for request in helpRequests {
            if location == .subsession(request.subsession) {
                endHelp(request.id, .hostAlreadyInSubsession)
            } else if location == .mainSession, !request.asked.contains(id), !request.ignoredBy.contains(id),
                let index = helpRequests.firstIndex(where: { $0.id == request.id })
            {
                helpRequests[index].asked.append(id)
                ask(id, request)
            }
        }
    }

    /// Sends a manager the open requests that it was asked before, because it may have missed them.
    mutating func askAgain(_ id: ConnectionID) {
        for request in helpRequests where request.asked.contains(id) { ask(id, request) }
    }

    /// Handles a participant who is no longer a manager or has left: removes it from the requests that it was asked.
    mutating func forgetManager(_ id: ConnectionID) {
        for request in helpRequests where request.asked.contains(id) {
            guard let index = helpRequests.firstIndex(where: { $0.id == request.id }) else { continue }
            helpRequests[index].asked.removeAll { $0 == id }
            if helpRequests[index].asked.isEmpty { endHelp(request.id, .ignored) }
        }
    }

    private mutating func ask(_ manager: ConnectionID, _ request: OpenHelpRequest) {
        guard let user = participants[request.user]?.info, let subsession = subsessions.info(request.subsession) else {
            return
        }
        tell(
            manager,
            .helpRequested(
                HelpRequested(
                    request: request.id, user: user.id, userName: user.name, subsession: subsession.id,
                    subsessionName: subsession.name)))
    }

    private mutating func tellResult(_ result: HelpResult, of request: OpenHelpRequest) {
        tell(request.user, .helpResult(HelpResulted(request: request.id, result: result)))
    }
}
