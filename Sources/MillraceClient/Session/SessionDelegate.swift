public import Signaling

/// Receiver of a session's events, one at a time, on the executor passed to `Session.add(_:on:)`. All methods
/// are optional.
public protocol SessionDelegate: AnyObject, Sendable {
    /// Receives every event. The default implementation calls the method for the event; a delegate that
    /// implements this method replaces it.
    func session(_ session: Session, didReceive event: SessionEvent)

    func session(_ session: Session, statusChanged status: SessionStatus)
    func sessionDidConnect(_ session: Session)
    func session(_ session: Session, didFailWith error: SessionError)
    func session(_ session: Session, didDisconnect reason: DisconnectReason)
    func sessionDidBeginReconnecting(_ session: Session)
    func session(_ session: Session, didReconnect isNewConnection: Bool)
    /// The relay will shut down after this many seconds.
    func session(_ session: Session, relayDrainsIn seconds: Int)
    /// Media does not reach the relay.
    func session(_ session: Session, hasNoMediaPath path: NoMediaPath)
    func session(_ session: Session, mediaPathFound direction: MediaDirection)
    func session(_ session: Session, connectionCreated user: UserInfo)
    func session(_ session: Session, connectionDestroyed user: UserInfo, reason: DisconnectReason)
    func session(_ session: Session, userChanged user: UserInfo)
    /// The relay no longer lists these users, which are still in the session, but only counts them.
    func session(_ session: Session, usersUnlisted users: [UserInfo])
    func session(_ session: Session, userCountChanged count: Int)
    /// The connection of a user's client was lost and may come back, or is back if `isDropped` is false.
    func session(_ session: Session, userDropped user: ConnectionID, isDropped: Bool)
    /// The session has another host, or none if `host` is nil.
    func session(_ session: Session, hostChanged host: ConnectionID?)
    func session(_ session: Session, streamCreated stream: StreamInfo)
    func session(_ session: Session, streamChanged stream: StreamInfo)
    func session(_ session: Session, streamDestroyed stream: StreamInfo, reason: StreamEndReason)
    func session(_ session: Session, recordingStarted stream: StreamID)
    func session(_ session: Session, recordingStopped stream: StreamID)
    /// A stream reaches another server.
    func session(_ session: Session, liveStarted live: PushID, stream: StreamID?)
    /// A try to reach the other server failed.
    func session(_ session: Session, liveFailed failure: PushFailed)
    func session(_ session: Session, liveStopped end: PushStopped)
    /// Frames of a subscribed stream cannot be decrypted.
    func session(_ session: Session, encryptionFailedFor stream: StreamID, reason: EncryptionFailure)
    /// Participants have agreed on keys, and can compare this number.
    func session(_ session: Session, safetyNumberChanged number: String)
    /// Participants do not agree on keys.
    func session(_ session: Session, keyAgreementFailed reason: KeyAgreementFailure)
    func session(_ session: Session, receivedSignal type: String, data: String, from: ConnectionID?)
    func session(_ session: Session, muteForced isActive: Bool)
    /// A moderator has muted a stream of the local user: one kind, or audio and video if `kind` is nil.
    func session(_ session: Session, ownStreamMuted stream: StreamID, kind: TrackKind?)
    func session(_ session: Session, unmuteRequestedBy user: ConnectionID, kind: TrackKind)
    /// A moderator has unmuted the local user's streams.
    func session(_ session: Session, unmutedBy user: ConnectionID, kind: TrackKind)
    func session(_ session: Session, shareLockChanged isLocked: Bool)
    /// The active speaker has changed; nil if no user is speaking.
    func session(_ session: Session, activeSpeakerChanged stream: StreamID?)
    func session(_ session: Session, subsessions event: SubsessionEvent)
    func session(_ session: Session, chat event: ChatEvent)
}

extension SessionDelegate {
    public func session(_ session: Session, didReceive event: SessionEvent) {
        switch event {
        case .statusChanged(let status): self.session(session, statusChanged: status)
        case .didConnect: sessionDidConnect(session)
        case .didFail(let error): self.session(session, didFailWith: error)
        case .didDisconnect(let reason): self.session(session, didDisconnect: reason)
        case .didBeginReconnecting: sessionDidBeginReconnecting(session)
        case .didReconnect(let isNew): self.session(session, didReconnect: isNew)
        case .relayDraining(let seconds): self.session(session, relayDrainsIn: seconds)
        case .noMediaPath(let path): self.session(session, hasNoMediaPath: path)
        case .mediaPathFound(let direction): self.session(session, mediaPathFound: direction)
        case .connectionCreated(let user): self.session(session, connectionCreated: user)
        case .connectionDestroyed(let user, let reason):
            self.session(session, connectionDestroyed: user, reason: reason)
        case .userChanged(let user): self.session(session, userChanged: user)
        case .userDropped(let user, let isDropped): self.session(session, userDropped: user, isDropped: isDropped)
        case .hostChanged(let host): self.session(session, hostChanged: host)
        case .streamCreated(let stream): self.session(session, streamCreated: stream)
        case .streamChanged(let stream): self.session(session, streamChanged: stream)
        case .streamDestroyed(let stream, let reason): self.session(session, streamDestroyed: stream, reason: reason)
        case .recordingStarted(let stream): self.session(session, recordingStarted: stream)
        case .recordingStopped(let stream): self.session(session, recordingStopped: stream)
        case .liveStarted(let live, let stream): self.session(session, liveStarted: live, stream: stream)
        case .liveFailed(let failure): self.session(session, liveFailed: failure)
        case .liveStopped(let end): self.session(session, liveStopped: end)
        case .encryptionFailed(let stream, let reason):
            self.session(session, encryptionFailedFor: stream, reason: reason)
        case .safetyNumberChanged(let number): self.session(session, safetyNumberChanged: number)
        case .keyAgreementFailed(let reason): self.session(session, keyAgreementFailed: reason)
        case .signal(let from, let type, let data):
            self.session(session, receivedSignal: type, data: data, from: from)
        case .muteForced(let isActive): self.session(session, muteForced: isActive)
        case .streamMuteForced(let stream, let kind): self.session(session, ownStreamMuted: stream, kind: kind)
        case .unmuteRequested(let from, let kind): self.session(session, unmuteRequestedBy: from, kind: kind)
        case .shareLockChanged(let isLocked): self.session(session, shareLockChanged: isLocked)
        case .activeSpeakerChanged(let stream): self.session(session, activeSpeakerChanged: stream)
        case .subsessions(let event): self.session(session, subsessions: event)
        case .chat(let event): self.session(session, chat: event)
        case .usersUnlisted(let users): self.session(session, usersUnlisted: users)
        case .userCountChanged(let count): self.session(session, userCountChanged: count)
        case .unmuted(let user, let kind): self.session(session, unmutedBy: user, kind: kind)
        }
    }

    public func session(_ session: Session, statusChanged status: SessionStatus) {}
    public func sessionDidConnect(_ session: Session) {}
    public func session(_ session: Session, didFailWith error: SessionError) {}
    public func session(_ session: Session, didDisconnect reason: DisconnectReason) {}
    public func sessionDidBeginReconnecting(_ session: Session) {}
    public func session(_ session: Session, didReconnect isNewConnection: Bool) {}
    public func session(_ session: Session, relayDrainsIn seconds: Int) {}
    public func session(_ session: Session, hasNoMediaPath path: NoMediaPath) {}
    public func session(_ session: Session, mediaPathFound direction: MediaDirection) {}
    public func session(_ session: Session, connectionCreated user: UserInfo) {}
    public func session(_ session: Session, connectionDestroyed user: UserInfo, reason: DisconnectReason) {}
    public func session(_ session: Session, userChanged user: UserInfo) {}
    public func session(_ session: Session, userDropped user: ConnectionID, isDropped: Bool) {}
    public func session(_ session: Session, hostChanged host: ConnectionID?) {}
    public func session(_ session: Session, streamCreated stream: StreamInfo) {}
    public func session(_ session: Session, streamChanged stream: StreamInfo) {}
    public func session(_ session: Session, streamDestroyed stream: StreamInfo, reason: StreamEndReason) {}
    public func session(_ session: Session, recordingStarted stream: StreamID) {}
    public func session(_ session: Session, recordingStopped stream: StreamID) {}
    public func session(_ session: Session, liveStarted live: PushID, stream: StreamID?) {}
    public func session(_ session: Session, liveFailed failure: PushFailed) {}
    public func session(_ session: Session, liveStopped end: PushStopped) {}
    public func session(_ session: Session, encryptionFailedFor stream: StreamID, reason: EncryptionFailure) {}
    public func session(_ session: Session, safetyNumberChanged number: String) {}
    public func session(_ session: Session, keyAgreementFailed reason: KeyAgreementFailure) {}
    public func session(_ session: Session, receivedSignal type: String, data: String, from: ConnectionID?) {}
    public func session(_ session: Session, muteForced isActive: Bool) {}
    public func session(_ session: Session, ownStreamMuted stream: StreamID, kind: TrackKind?) {}
    public func session(_ session: Session, unmuteRequestedBy user: ConnectionID, kind: TrackKind) {}
    public func session(_ session: Session, unmutedBy user: ConnectionID, kind: TrackKind) {}
    public func session(_ session: Session, usersUnlisted users: [UserInfo]) {}
    public func session(_ session: Session, userCountChanged count: Int) {}
    public func session(_ session: Session, shareLockChanged isLocked: Bool) {}
    public func session(_ session: Session, activeSpeakerChanged stream: StreamID?) {}
    public func session(_ session: Session, subsessions event: SubsessionEvent) {}
    public func session(_ session: Session, chat event: ChatEvent) {}
}
