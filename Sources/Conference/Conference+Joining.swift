package import MediaBase
package import Signaling

extension Conference {
    /// Admits a client or a publisher without signalling. A refused request changes nothing (SES-4).
    /// - Parameter wallClock: milliseconds since 1970.
    package mutating func join(
        _ admission: Admission, now: MediaTime, wallClock: Int64
    ) -> Result<Join, SignalingError> {
        latest = now
        do throws(SignalingError) {
            let password = try admit(admission)
            // It has no way to announce encryption. Refused before it is in, so that it does not use up the reservation of a session.
            if admission.kind == .publisher, requiresEncryption || admission.requiresEncryption {
                throw SignalingError(.encryptionRequired, "a publisher without signalling cannot encrypt")
            }
            let name = try DisplayName.normalized(admission.name)
            try Bounds.check(admission.media.maximumWidth, 1...Bounds.pixels, "maximumWidth")
            try Bounds.check(admission.media.maximumHeight, 1...Bounds.pixels, "maximumHeight")
            if let key = admission.e2eeKey, !JoinRequest.isKey(key) {
                throw SignalingError(.invalidField, "a public key is 32 bytes as base64", field: "e2eeKey")
            }
            guard order.count < limits.participants else {
                throw SignalingError(
                    .limitReached, "the session has \(limits.participants) participants already",
                    limit: ConferenceLimits.participantsKey)
            }
            return .success(enter(admission, name: name, password: password, wallClock: wallClock))
        } catch {
            return .failure(error)
        }
    }

    /// Checks the session's state, token and password, for participants and subscribers without signalling.
    /// - Returns: the password of the request.
    func admit(_ admission: Admission) throws(SignalingError) -> String? {
        if phase == .ended { throw SignalingError(.sessionEnded) }
        let offered = try SessionPassword.checked(admission.password)
        if let token = admission.token, revoked.contains(token) { throw SignalingError(.tokenRevoked) }
        if participants[admission.connection] != nil { throw SignalingError(.alreadyJoined) }
        if admission.requiresEncryption, phase != .vacant, !requiresEncryption {
            throw SignalingError(
                .encryptionRequired, "the session began without required encryption", field: "requiresEncryption")
        }
        if let password, !admission.isTrusted {
            guard let offered else { throw SignalingError(.passwordNeeded, field: "password") }
            guard SessionPassword.matches(offered, password) else {
                throw SignalingError(.passwordWrong, field: "password")
            }
        }
        return offered
    }

    private mutating func enter(
        _ admission: Admission, name displayName: String, password offered: String?, wallClock: Int64
    ) -> Join {
        publisherWait = nil
        if phase == .vacant {
            phase = .live
            requiresEncryption = requiresEncryption || admission.requiresEncryption
            if !hasStarted { hook(.sessionStarted) }
            hasStarted = true
        }
        // The media plane may still refuse a publisher without signalling.
        if admission.kind == .client { reservation = nil }
        settlePassword(offered, by: admission.kind)
        let connection = admission.connection
        let becomesHost = admission.kind == .client && admission.capabilities.canHost && host == nil
        let info = UserInfo(
            id: connection, name: displayName, identity: admission.identity,
            data: admission.data, kind: admission.kind, role: becomesHost ? .host : .participant, joinedAt: wallClock,
            e2eeKey: admission.e2eeKey)
        joins += 1
        participants[connection] = Participant(
            info: info, capabilities: admission.capabilities, token: admission.token, isTrusted: admission.isTrusted,
            media: admission.media, ordinal: joins)
        order.append(connection)
        if becomesHost { host = connection }
        if admission.kind == .client { clients.append(connection) }
        noteSeat(of: connection)

        noteJoin(of: connection)
        if becomesHost { tellAll(.hostChanged(HostChanged(host: connection)), excluding: connection) }
        hook(.participantJoined(info))
        tellSpeaker(activeSpeakers[.mainSession], to: connection, before: nil)
        tellPushes(to: connection)
        if becomesHost { noteManager(connection, at: .mainSession) }
        let answer = state(for: connection, info, admission.capabilities, resumeToken: admission.resumeToken)
        return Join(answer: answer, effects: takeEffects())
    }

    /// Returns the state of the session for a client that is in it already and has missed events.
    /// - Returns: the state, and effects that follow it as they follow a join; nil if the client is not in the session.
    package mutating func snapshot(
        for connection: ConnectionID, resumeToken: String, now: MediaTime
    ) -> Join? {
        latest = now
        guard let participant = participants[connection], participant.isClient else { return nil }
        let location = subsessions.location(of: connection)
        // The client may still show an earlier speaker, so that the lack of one is announced as well.
        tell(connection, .activeSpeaker(ActiveSpeaker(stream: activeSpeakers[location])))
        tellPushes(to: connection)
        askAgain(connection)
        let answer = state(
            for: connection, participant.info, participant.capabilities, resumeToken: resumeToken)
        return Join(answer: answer, effects: takeEffects())
    }

    private func state(
        for connection: ConnectionID, _ info: UserInfo, _ capabilities: Capabilities, resumeToken: String
    ) -> JoinAnswer {
        var page = page(after: 0)
        if !page.users.contains(where: { $0.id == connection }) { page.users.append(info) }
        return JoinAnswer(
            session: id, sessionName: name, connection: connection, resumeToken: resumeToken,
            graceSeconds: Int(limits.graceTime.seconds.rounded()), capabilities: capabilities,
            users: page.users, streams: page.streams, nextPage: page.nextPage, userCount: order.count,
            recordedStreams: recordedStreams, isMuteForced: isMuteForced,
            isShareLocked: isShareLocked, isChatAllowed: isChatAllowed,
            subsessions: subsessionsState(isManager: isSubsessionManager(connection)),
            requiresEncryption: requiresEncryption)
    }

    /// Sets the password of the first join (SES-4). A publisher without signalling that names no password leaves the
    /// choice to the first client.
    private mutating func settlePassword(_ offered: String?, by kind: UserInfo.Kind) {
        guard !isPasswordSettled, kind == .client || offered != nil else { return }
        isPasswordSettled = true
        password = offered
        if offered != nil { endVisitingSubscribers { !$0.hasPassed } }
    }
}
