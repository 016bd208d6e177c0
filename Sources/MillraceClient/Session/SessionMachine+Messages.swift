import Foundation
import MediaBase
import SFrame
import Signaling

extension SessionMachine {
    mutating func refuse(_ ticket: UInt64, _ error: SignalingError) {
        outputs.append(.answer(ticket: ticket, .failure(error)))
    }

    mutating func send(_ request: any RequestBody, _ purpose: Purpose, now: MediaTime) {
        do throws(SignalingError) {
            let message = try requests.add(request, purpose, now: now)
            outputs.append(.send(message, link: link))
        } catch {
            switch purpose {
            case .application(let ticket, _): refuse(ticket, error)
            case .signal(let signal): refuse(signal.ticket, error)
            case .chat(let chat): refuse(chat.ticket, error)
            // The join itself is too large, for example because of a very long name or password; another attempt would fail too.
            case .enter, .page: finish(backoff.isUnderWay ? .networkLost : .left, SessionError(error))
            case .leave, .ping, .keys: break
            }
        }
    }

    /// Sends signals queued during the reconnection.
    mutating func sendSignals(now: MediaTime) {
        while phase == .connected, let signal = signals.popFirst() {
            send(signal.request, .signal(signal), now: now)
        }
    }

    /// Repeats chat messages whose answers were lost. The relay recognizes their ids and delivers none twice.
    mutating func repeatChats(now: MediaTime) {
        let chats = unansweredChats
        unansweredChats = []
        for chat in chats { send(chat.request, .chat(chat), now: now) }
    }

    mutating func failChats() {
        for chat in unansweredChats { refuse(chat.ticket, .unanswered) }
        unansweredChats = []
    }

    mutating func take(answer message: [UInt8], id: UInt32, now: MediaTime) {
        guard let purpose = requests.take(id) else {
            refused += 1
            return
        }
        switch purpose {
        case .application(let ticket, let change):
            if let change, case .success(.success) = Result(catching: { try ResultMessage<Done>.read(message) }) {
                model.apply(change)
            }
            outputs.append(.answer(ticket: ticket, .success(message)))
        case .signal(let signal): outputs.append(.answer(ticket: signal.ticket, .success(message)))
        case .chat(let chat): outputs.append(.answer(ticket: chat.ticket, .success(message)))
        case .ping, .keys: break
        case .page: take(page: result(of: message), now: now)
        case .leave(let endsForAll): take(leave: message, endsForAll: endsForAll)
        case .enter:
            if resumption != nil {
                take(resume: result(of: message), now: now)
            } else {
                take(join: result(of: message), now: now)
            }
        }
    }

    private mutating func result<Answer>(of message: [UInt8]) -> Result<Answer, SignalingError>
    where Answer: Hashable & Sendable & Codable {
        do throws(SignalingError) {
            return try ResultMessage<Answer>.read(message)
        } catch {
            refused += 1
            return .failure(error)
        }
    }

    private mutating func take(leave message: [UInt8], endsForAll: Bool) {
        guard phase == .leaving else { return }
        let result: Result<Done, SignalingError> = result(of: message)
        if case .failure(let error) = result, endsForAll {
            phase = .connected
            phaseDeadline = .never
            set(.connected)
            outputs.append(.left(.failure(SessionError(error))))
            return
        }
        finish(.left)
    }

    private mutating func take(join result: Result<JoinAnswer, SignalingError>, now: MediaTime) {
        guard phase == .entering else { return }
        switch result {
        case .success(let answer): begin(answer, resumed: nil, now: now)
        case .failure(let error):
            if backoff.isUnderWay { return entryRefused(error, now: now) }
            switch error.code {
            case .passwordNeeded, .passwordWrong, .passwordInvalid, .rateLimited:
                phase = .asking
                phaseDeadline = .never
                isEntering = false
                outputs.append(.entered(.failure(SessionError(error))))
            default: finish(.left, SessionError(error))
            }
        }
    }

    /// Begins a join, or a resume with a snapshot. The users of a large session arrive in pages; it completes with the last page, so that
    /// the application finds all users and streams.
    private mutating func begin(_ answer: JoinAnswer, resumed: ResumeRequest.Answer?, now: MediaTime) {
        guard let page = answer.nextPage else { return complete(answer, resumed: resumed, now: now) }
        // If the connection is lost before the last page, another snapshot is needed.
        if resumed != nil { resumption?.lastEvent = ResumeRequest.withoutState }
        roster = JoinRoster(answer, resumed: resumed)
        ask(page: page, now: now)
    }

    private mutating func complete(_ answer: JoinAnswer, resumed: ResumeRequest.Answer?, now: MediaTime) {
        if let resumed { restored(resumed, answer, now: now) } else { joined(answer, now: now) }
    }

    private mutating func ask(page: UInt64, now: MediaTime) {
        phaseDeadline = now + configuration.connectTimeout.bounded
        send(UsersRequest(after: page), .page, now: now)
    }

    private mutating func take(page result: Result<UsersPage, SignalingError>, now: MediaTime) {
        guard phase == .entering, var roster else { return }
        switch result {
        case .failure(let error):
            self.roster = nil
            take(join: .failure(error), now: now)
        case .success(let page):
            let next = roster.add(page)
            guard let next else {
                self.roster = nil
                complete(roster.answer, resumed: roster.resumed, now: now)
                for event in roster.events { take(event: event.message, seq: event.seq, now: now) }
                return
            }
            self.roster = roster
            ask(page: next, now: now)
        }
    }

    private mutating func take(resume result: Result<ResumeRequest.Answer, SignalingError>, now: MediaTime) {
        guard phase == .entering else { return }
        switch result {
        case .success(let answer):
            guard let snapshot = answer.snapshot else { return resumed(answer, now: now) }
            begin(snapshot, resumed: answer, now: now)
        case .failure(let error):
            switch error.code {
            case .resumeExpired, .resumeGap, .unknownSession:
                guard configuration.reconnect.joinsAnew else { return finish(.networkLost, SessionError(error)) }
                resumption = nil
                enter(now: now)
            default: entryRefused(error, now: now)
            }
        }
    }

    /// Handles an error in answer to a join or resume while reconnecting: tries again, or ends the connection.
    mutating func entryRefused(_ error: SignalingError, now: MediaTime) {
        if error.allowsAnotherAttempt(wasUp: backoff.isUnderWay) {
            outputs.append(.close(link: link, saysGoodbye: false))
            link += 1
            return tryAgain(error.message, retryAfter: error.retryAfter, now: now)
        }
        switch error.code {
        case .sessionEnded: finish(.sessionEnded, SessionError(error))
        case .tokenExpired: finish(.tokenExpired, SessionError(error))
        case .tokenRevoked: finish(.removed, SessionError(error))
        default: finish(.networkLost, SessionError(error))
        }
    }

    mutating func take(event message: [UInt8], seq: UInt64, now: MediaTime) {
        if seq == 0 { return take(unnumbered: message) }
        if phase == .entering, roster != nil {
            if roster?.keep(message, seq) == false { lose("too many events came before the user list", now: now) }
            return
        }
        guard phase == .connected || phase == .leaving, let last = resumption?.lastEvent else { return }
        // A replay may overlap events that were already handled.
        guard seq > last else { return }
        guard seq == last + 1 else { return missed(now: now) }
        resumption?.lastEvent = seq
        gaps = 0
        do {
            apply(try JSONDecoder().decode(EventMessage.self, from: Data(message)).event, now: now)
        } catch {
            // An event of a newer relay: ignored, but its number counts.
            refused += 1
        }
        guard phase == .connected, replayLeft > 0 else { return }
        replayLeft -= 1
        if replayLeft == 0 { comeBack() }
    }

    /// Takes an event of conversations. These have no sequence numbers: missed ones are read from the relay again.
    private mutating func take(unnumbered message: [UInt8]) {
        guard case .messaging(let event) = try? JSONDecoder().decode(EventMessage.self, from: Data(message)).event
        else {
            refused += 1
            return
        }
        outputs.append(.messaging(event))
    }

    /// Reconnects after a gap in the event numbers: the known state is unreliable until the missing events are replayed.
    private mutating func missed(now: MediaTime) {
        gaps += 1
        if gaps >= Self.gapLimit {
            resumption = nil
            gaps = 0
        }
        lose("events were missed", now: now)
    }

    private mutating func apply(_ event: Event, now: MediaTime) {
        if case .signal(let signal) = event, signal.type == KeyAgreement.signalType {
            return take(keySignal: signal, now: now)
        }
        for change in model.apply(event) { outputs.append(.event(change)) }
        switch event {
        case .userJoined, .userChanged, .userLeft, .usersChanged, .userDropped: updateMembers(now: now)
        case .offer(let made):
            offer = made.revision
            outputs.append(.media(.offer(made)))
        case .subscriptionChanged(let change): outputs.append(.media(.subscription(change)))
        case .mediaReset(let reset):
            if reset.subscribe { offer = nil }
            outputs.append(.media(.reset(publish: reset.publish, subscribe: reset.subscribe)))
        case .draining(let draining): drain(draining, now: now)
        case .disconnected(let body): disconnected(body, now: now)
        default: break
        }
    }

    /// Schedules the move to another relay at a random time, so that not all clients move at once, and well before the shutdown.
    private mutating func drain(_ draining: Draining, now: MediaTime) {
        guard let url = draining.url, URL(string: url)?.host != nil else { return }
        let spread = min(5_000, max(0, draining.seconds) * 500)
        moveTo = url
        moveAt = now + .milliseconds(.random(in: 0...Int64(spread), using: &random))
    }

    private mutating func disconnected(_ body: Disconnected, now: MediaTime) {
        if phase == .leaving { return finish(body.reason) }
        switch body.reason {
        case .left, .removed, .sessionEnded: finish(body.reason)
        case .tokenExpired: finish(body.reason, SessionError(.tokenExpired, body.message))
        case .protocolViolation: finish(body.reason, SessionError(.malformedMessage, body.message))
        case .relayShutdown, .slowConsumer, .networkLost:
            guard configuration.reconnect.joinsAnew else {
                return finish(body.reason, SessionError(.notConnected, body.message))
            }
            // The relay no longer knows this connection.
            resumption = nil
            lose(body.message ?? body.reason.rawValue, now: now)
        }
    }
}
