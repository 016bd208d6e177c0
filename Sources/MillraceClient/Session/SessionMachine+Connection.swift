import MediaBase
import Signaling

extension SessionMachine {
    mutating func set(_ status: SessionStatus) {
        guard self.status != status else { return }
        self.status = status
        outputs.append(.event(.statusChanged(status)))
    }

    mutating func open(now: MediaTime) {
        link += 1
        phase = .opening
        phaseDeadline = now + configuration.connectTimeout.bounded
        outputs.append(.open(url: url, link: link))
    }

    /// Sends the resume of the former connection, or a join if there is none to resume.
    mutating func enter(now: MediaTime) {
        guard let entry else { return }
        phase = .entering
        phaseDeadline = now + configuration.connectTimeout.bounded
        if let resumption {
            send(
                ResumeRequest(
                    resumeToken: resumption.token, lastEvent: resumption.lastEvent, snapshots: true, offer: offer),
                .enter, now: now)
        } else {
            send(
                JoinRequest(
                    session: entry.session, token: entry.token, name: entry.name, password: entry.password,
                    client: entry.client, media: entry.media, requiresEncryption: entry.requiresEncryption,
                    e2eeKey: makeIdentity()),
                .enter, now: now)
        }
    }

    /// Completes a join, whether the first one or a later one under a new connection id.
    mutating func joined(_ answer: JoinAnswer, now: MediaTime) {
        let isFirst = !backoff.isUnderWay
        stand(with: answer, now: now)
        let former = (session: model.session, subsession: model.ownSubsession)
        let changes = model.join(answer)
        isEntering = false
        offer = nil
        if isFirst {
            set(.connected)
            if let user = model.localUser { outputs.append(.event(.didConnect(user))) }
            for change in changes { outputs.append(.event(change)) }
            outputs.append(.entered(.success(())))
        } else {
            for change in changes { outputs.append(.event(change)) }
            isNewConnection = true
            comeBack()
        }
        outputs.append(.media(.joined))
        beginAgreement(now: now)
        // Under another connection id the relay recognizes a repeated message only by its user. A new join also ends in the main session,
        // so messages sent in a subsession would reach other users.
        if former.session == answer.session, former.subsession == nil, model.localUser?.identity != nil {
            repeatChats(now: now)
        } else {
            failChats()
        }
        sendSignals(now: now)
    }

    /// Completes a resume; the relay then replays the missed events.
    mutating func resumed(_ answer: ResumeRequest.Answer, now: MediaTime) {
        stand(now: now)
        isNewConnection = false
        if answer.subscribeLost { offer = nil }
        replayLeft = max(0, answer.missed)
        phaseDeadline = now + configuration.connectTimeout.bounded
        outputs.append(
            .media(
                .resumed(publishLost: answer.publishLost, subscribeLost: answer.subscribeLost, hasSnapshot: false)))
        repeatChats(now: now)
        sendSignals(now: now)
        resumeAgreement(now: now)
        if replayLeft == 0 { comeBack() }
    }

    /// Completes a resume with a snapshot in place of missed events. The differences from the state before are reported as changes.
    mutating func restored(_ answer: ResumeRequest.Answer, _ snapshot: JoinAnswer, now: MediaTime) {
        stand(with: snapshot, now: now)
        isNewConnection = false
        if answer.subscribeLost { offer = nil }
        let former = model.ownSubsession
        for change in model.join(snapshot, publishLost: answer.publishLost) { outputs.append(.event(change)) }
        outputs.append(
            .media(.resumed(publishLost: answer.publishLost, subscribeLost: answer.subscribeLost, hasSnapshot: true)))
        if !answer.subscribeLost { outputs.append(.media(.continued(answer.subscriptions ?? []))) }
        // Messages sent in another subsession would reach other users.
        if model.ownSubsession == former { repeatChats(now: now) } else { failChats() }
        sendSignals(now: now)
        updateMembers(now: now)
        resumeAgreement(now: now)
        comeBack()
    }

    /// Begins a connection whose next event has number 1.
    private mutating func stand(with answer: JoinAnswer, now: MediaTime) {
        resumption = Resumption(token: answer.resumeToken, lastEvent: 0)
        let relays = MediaTime.milliseconds(Int64(min(max(answer.pingInterval, 100), 3_600_000)))
        liveness = Liveness(interval: min(MediaTime(configuration.pingInterval), relays))
        stand(now: now)
    }

    private mutating func stand(now: MediaTime) {
        phase = .connected
        phaseDeadline = .never
        liveness.begin(now: now)
    }

    /// Reports the reconnection once all missed events have been replayed.
    mutating func comeBack() {
        phaseDeadline = .never
        replayLeft = 0
        guard backoff.isUnderWay else { return }
        backoff.end()
        set(.connected)
        outputs.append(.event(.didReconnect(isNewConnection: isNewConnection)))
    }

    /// Handles a WebSocket that was closed or is unusable.
    mutating func lose(_ reason: String, now: MediaTime) {
        outputs.append(.close(link: link, saysGoodbye: false))
        // Invalidates callbacks of the closed WebSocket.
        link += 1
        dropRequests()
        let hadConnection = phase == .connected || backoff.isUnderWay
        guard hadConnection, phase != .leaving else {
            if phase == .leaving { return finish(.left) }
            return finish(.networkLost, SessionError(.connectFailed, reason))
        }
        replayLeft = 0
        if !backoff.isUnderWay {
            guard configuration.reconnect.giveUpAfter > .zero else {
                return finish(.networkLost, SessionError(.notConnected, reason))
            }
            backoff.begin(now: now)
            set(.reconnecting)
            outputs.append(.event(.didBeginReconnecting))
            outputs.append(.media(.interrupted))
        }
        tryAgain(reason, now: now)
    }

    /// Schedules the next attempt to connect.
    /// - Parameter retryAfter: delay requested by the relay, in seconds.
    mutating func tryAgain(_ reason: String, retryAfter: Int? = nil, now: MediaTime) {
        guard let next = backoff.nextAttempt(retryAfter: retryAfter, now: now, using: &random) else {
            return finish(.networkLost, SessionError(.connectFailed, reason))
        }
        phase = .waiting
        phaseDeadline = next
    }

    /// Handles an HTTP error of the relay in response to the WebSocket request.
    mutating func refused(link: Int, _ error: SignalingError, now: MediaTime) {
        guard link == self.link, phase == .opening else { return }
        if error.code == .connectFailed { return lose(error.message, now: now) }
        guard !backoff.isUnderWay else { return entryRefused(error, now: now) }
        finish(.left, SessionError(error))
    }

    /// Moves to the relay that the draining relay named.
    mutating func move(now: MediaTime) {
        moveAt = .never
        guard let moveTo else { return }
        url = moveTo
        self.moveTo = nil
        // The other relay does not know this connection.
        resumption = nil
        guard phase == .connected else { return }
        lose("the relay is draining", now: now)
    }

    /// Ends the connection.
    mutating func finish(_ reason: DisconnectReason, _ error: SessionError? = nil) {
        let wasConnected = model.connection != nil
        let leaves = phase == .leaving || reason == .left
        outputs.append(.close(link: link, saysGoodbye: true))
        link += 1
        phase = error == nil ? .idle : .failed
        phaseDeadline = .never
        moveAt = .never
        moveTo = nil
        backoff.end()
        replayLeft = 0
        resumption = nil
        dropRequests()
        failChats()
        let gone = SignalingError(.notConnected)
        while let signal = signals.popFirst() { outputs.append(.answer(ticket: signal.ticket, .failure(gone))) }
        outputs.append(.media(.ended(reason)))
        if wasConnected { model.end() }
        identity = nil
        agreement = nil
        if let error { outputs.append(.event(.didFail(error))) }
        set(error == nil ? .notConnected : .failed)
        if wasConnected { outputs.append(.event(.didDisconnect(reason))) }
        if isEntering {
            isEntering = false
            outputs.append(.entered(.failure(error ?? SessionError(.notConnected))))
        }
        if leaves { outputs.append(.left(.success(()))) }
    }

    /// Fails all requests without an answer, except chat messages and signals that may be repeated: these are kept for the next connection.
    private mutating func dropRequests() {
        roster = nil
        var kept: [QueuedSignal] = []
        for purpose in requests.removeAll() {
            switch purpose {
            case .application(let ticket, _): refuse(ticket, .unanswered)
            case .signal(let signal):
                if signal.retries { kept.append(signal) } else { refuse(signal.ticket, .unanswered) }
            case .chat(let chat): unansweredChats.append(chat)
            case .enter, .page, .leave, .ping, .keys: break
            }
        }
        for signal in kept.reversed() { signals.prepend(signal) }
    }
}
