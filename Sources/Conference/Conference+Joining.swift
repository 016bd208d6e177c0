package import MediaBase
package import Signaling

extension Conference {
    /// A client, or a publisher without signalling, comes in. A refused one leaves no trace (SES-4).
    /// - Parameter wallClock: milliseconds since 1970.
    package mutating func join(
        _ admission: Admission, now: MediaTime, wallClock: Int64
    ) -> Result<Join, SignalingError> {
        do throws(SignalingError) {
            let password = try admit(admission)
            return .success(enter(admission, password: password, wallClock: wallClock))
        } catch {
            return .failure(error)
        }
    }

    /// - Returns: the password it brings.
    private func admit(_ admission: Admission) throws(SignalingError) -> String? {
        if phase == .ended { throw SignalingError(.sessionEnded) }
        let offered = try SessionPassword.checked(admission.password)
        if let token = admission.token, revoked.contains(token) { throw SignalingError(.tokenRevoked) }
        if participants[admission.connection] != nil { throw SignalingError(.alreadyJoined) }
        if let password, !admission.isTrusted {
            guard let offered else { throw SignalingError(.passwordNeeded, field: "password") }
            guard SessionPassword.matches(offered, password) else {
                throw SignalingError(.passwordWrong, field: "password")
            }
        }
        guard order.count < limits.participants else {
            throw SignalingError(
                .limitReached, "the session has \(limits.participants) participants already",
                limit: ConferenceLimits.participantsKey)
        }
        return offered
    }

    private mutating func enter(_ admission: Admission, password offered: String?, wallClock: Int64) -> Join {
        if phase == .vacant {
            phase = .live
            if reservation?.password == nil { password = offered }
            reservation = nil
            hook(.sessionStarted)
        }
        let connection = admission.connection
        let becomesHost = admission.kind == .client && admission.capabilities.canHost && host == nil
        let info = UserInfo(
            id: connection, name: DisplayName.normalized(admission.name), identity: admission.identity,
            data: admission.data, kind: admission.kind, role: becomesHost ? .host : .participant, joinedAt: wallClock)
        participants[connection] = Participant(
            info: info, capabilities: admission.capabilities, token: admission.token)
        order.append(connection)
        if becomesHost { host = connection }
        if admission.kind == .client { clients.append(connection) }

        tellAll(.userJoined(UserJoined(user: info)), excluding: connection)
        if becomesHost { tellAll(.hostChanged(HostChanged(host: connection)), excluding: connection) }
        hook(.participantJoined(info))
        if let activeSpeaker { tell(connection, .activeSpeaker(ActiveSpeaker(stream: activeSpeaker))) }
        let answer = JoinAnswer(
            session: id, sessionName: name, connection: connection, resumeToken: admission.resumeToken,
            graceSeconds: Int(limits.graceTime.seconds.rounded()), capabilities: admission.capabilities, users: users,
            streams: streams, isMuteForced: isMuteForced, isShareLocked: isShareLocked)
        return Join(answer: answer, effects: takeEffects())
    }
}
