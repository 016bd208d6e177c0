public import Signaling

/// Told of a session's events, one at a time, where the application said. All methods can be left out.
public protocol SessionDelegate: AnyObject, Sendable {
    /// Each event; calls the method that belongs to it unless the delegate has its own of this.
    func session(_ session: Session, didReceive event: SessionEvent)

    func sessionDidConnect(_ session: Session)
    func session(_ session: Session, didFailWith error: SessionError)
    func session(_ session: Session, didDisconnect reason: DisconnectReason)
    func sessionDidBeginReconnecting(_ session: Session)
    func session(_ session: Session, didReconnect isNewConnection: Bool)
    func session(_ session: Session, connectionCreated user: UserInfo)
    func session(_ session: Session, connectionDestroyed user: UserInfo, reason: DisconnectReason)
    func session(_ session: Session, streamCreated stream: StreamInfo)
    func session(_ session: Session, streamChanged stream: StreamInfo)
    func session(_ session: Session, streamDestroyed stream: StreamInfo, reason: StreamEndReason)
    func session(_ session: Session, recordingStarted stream: StreamID)
    func session(_ session: Session, recordingStopped stream: StreamID)
    func session(_ session: Session, receivedSignal type: String, data: String, from: ConnectionID?)
    func session(_ session: Session, muteForced isActive: Bool)
    func session(_ session: Session, unmuteRequestedBy user: ConnectionID, kind: TrackKind)
    func session(_ session: Session, subsessions event: SubsessionEvent)
    func session(_ session: Session, chat event: ChatEvent)
}

extension SessionDelegate {
    public func session(_ session: Session, didReceive event: SessionEvent) {
        switch event {
        case .didConnect: sessionDidConnect(session)
        case .didFail(let error): self.session(session, didFailWith: error)
        case .didDisconnect(let reason): self.session(session, didDisconnect: reason)
        case .didBeginReconnecting: sessionDidBeginReconnecting(session)
        case .didReconnect(let isNew): self.session(session, didReconnect: isNew)
        case .connectionCreated(let user): self.session(session, connectionCreated: user)
        case .connectionDestroyed(let user, let reason):
            self.session(session, connectionDestroyed: user, reason: reason)
        case .streamCreated(let stream): self.session(session, streamCreated: stream)
        case .streamChanged(let stream): self.session(session, streamChanged: stream)
        case .streamDestroyed(let stream, let reason): self.session(session, streamDestroyed: stream, reason: reason)
        case .recordingStarted(let stream): self.session(session, recordingStarted: stream)
        case .recordingStopped(let stream): self.session(session, recordingStopped: stream)
        case .signal(let from, let type, let data):
            self.session(session, receivedSignal: type, data: data, from: from)
        case .muteForced(let isActive): self.session(session, muteForced: isActive)
        case .unmuteRequested(let from, let kind): self.session(session, unmuteRequestedBy: from, kind: kind)
        case .subsessions(let event): self.session(session, subsessions: event)
        case .chat(let event): self.session(session, chat: event)
        case .statusChanged, .relayDraining, .userChanged, .userDropped, .hostChanged, .streamMuteForced,
            .shareLockChanged, .activeSpeakerChanged:
            break
        }
    }

    public func sessionDidConnect(_ session: Session) {}
    public func session(_ session: Session, didFailWith error: SessionError) {}
    public func session(_ session: Session, didDisconnect reason: DisconnectReason) {}
    public func sessionDidBeginReconnecting(_ session: Session) {}
    public func session(_ session: Session, didReconnect isNewConnection: Bool) {}
    public func session(_ session: Session, connectionCreated user: UserInfo) {}
    public func session(_ session: Session, connectionDestroyed user: UserInfo, reason: DisconnectReason) {}
    public func session(_ session: Session, streamCreated stream: StreamInfo) {}
    public func session(_ session: Session, streamChanged stream: StreamInfo) {}
    public func session(_ session: Session, streamDestroyed stream: StreamInfo, reason: StreamEndReason) {}
    public func session(_ session: Session, recordingStarted stream: StreamID) {}
    public func session(_ session: Session, recordingStopped stream: StreamID) {}
    public func session(_ session: Session, receivedSignal type: String, data: String, from: ConnectionID?) {}
    public func session(_ session: Session, muteForced isActive: Bool) {}
    public func session(_ session: Session, unmuteRequestedBy user: ConnectionID, kind: TrackKind) {}
    public func session(_ session: Session, subsessions event: SubsessionEvent) {}
    public func session(_ session: Session, chat event: ChatEvent) {}
}
