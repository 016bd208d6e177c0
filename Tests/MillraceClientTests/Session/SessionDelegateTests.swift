import MediaBase
import Signaling
import Testing
import Transport

@testable import MillraceClient

@Suite("Delegates of a session (CON-2)") struct SessionDelegateTests {
    /// Records the name of each method that is called.
    private final class Listener: SessionDelegate {
        nonisolated(unsafe) var calls: [String] = []

        func session(_ session: Session, statusChanged status: SessionStatus) { calls.append("statusChanged") }
        func sessionDidConnect(_ session: Session) { calls.append("didConnect") }
        func session(_ session: Session, didFailWith error: SessionError) { calls.append("didFail") }
        func session(_ session: Session, didDisconnect reason: DisconnectReason) { calls.append("didDisconnect") }
        func sessionDidBeginReconnecting(_ session: Session) { calls.append("didBeginReconnecting") }
        func session(_ session: Session, didReconnect isNewConnection: Bool) { calls.append("didReconnect") }
        func session(_ session: Session, relayDrainsIn seconds: Int) { calls.append("relayDraining") }
        func session(_ session: Session, hasNoMediaPath path: NoMediaPath) { calls.append("noMediaPath") }
        func session(_ session: Session, mediaPathFound direction: MediaDirection) { calls.append("mediaPathFound") }
        func session(_ session: Session, connectionCreated user: UserInfo) { calls.append("connectionCreated") }
        func session(_ session: Session, connectionDestroyed user: UserInfo, reason: DisconnectReason) {
            calls.append("connectionDestroyed")
        }
        func session(_ session: Session, userChanged user: UserInfo) { calls.append("userChanged") }
        func session(_ session: Session, userDropped user: ConnectionID, isDropped: Bool) {
            calls.append("userDropped")
        }
        func session(_ session: Session, hostChanged host: ConnectionID?) { calls.append("hostChanged") }
        func session(_ session: Session, streamCreated stream: StreamInfo) { calls.append("streamCreated") }
        func session(_ session: Session, streamChanged stream: StreamInfo) { calls.append("streamChanged") }
        func session(_ session: Session, streamDestroyed stream: StreamInfo, reason: StreamEndReason) {
            calls.append("streamDestroyed")
        }
        func session(_ session: Session, usersUnlisted users: [UserInfo]) { calls.append("usersUnlisted") }
        func session(_ session: Session, userCountChanged count: Int) { calls.append("userCountChanged") }
        func session(_ session: Session, unmutedBy user: ConnectionID, kind: TrackKind) { calls.append("unmuted") }
        func session(_ session: Session, recordingStarted stream: StreamID) { calls.append("recordingStarted") }
        func session(_ session: Session, liveStarted live: PushID, stream: StreamID?) { calls.append("liveStarted") }
        func session(_ session: Session, liveFailed failure: PushFailed) { calls.append("liveFailed") }
        func session(_ session: Session, liveStopped end: PushStopped) { calls.append("liveStopped") }
        func session(_ session: Session, recordingStopped stream: StreamID) { calls.append("recordingStopped") }
        func session(_ session: Session, encryptionFailedFor stream: StreamID, reason: EncryptionFailure) {
            calls.append("encryptionFailed")
        }
        func session(_ session: Session, safetyNumberChanged number: String) { calls.append("safetyNumberChanged") }
        func session(_ session: Session, keyAgreementFailed reason: KeyAgreementFailure) {
            calls.append("keyAgreementFailed")
        }
        func session(_ session: Session, receivedSignal type: String, data: String, from: ConnectionID?) {
            calls.append("signal")
        }
        func session(_ session: Session, muteForced isActive: Bool) { calls.append("muteForced") }
        func session(_ session: Session, ownStreamMuted stream: StreamID, kind: TrackKind?) {
            calls.append("streamMuteForced")
        }
        func session(_ session: Session, unmuteRequestedBy user: ConnectionID, kind: TrackKind) {
            calls.append("unmuteRequested")
        }
        func session(_ session: Session, shareLockChanged isLocked: Bool) { calls.append("shareLockChanged") }
        func session(_ session: Session, activeSpeakerChanged stream: StreamID?) {
            calls.append("activeSpeakerChanged")
        }
        func session(_ session: Session, subsessions event: SubsessionEvent) { calls.append("subsessions") }
        func session(_ session: Session, chat event: ChatEvent) { calls.append("chat") }
    }

    private static let user = UserInfo(id: MachineBench.me, name: "Ada", joinedAt: 0)
    private static let stream = MachineBench.stream("a")
    private static let live = PushID(rawValue: "live1")

    /// Events, one of each kind.
    private static let events: [SessionEvent] = [
        .statusChanged(.connected), .didConnect(user), .didFail(SessionError(.notConnected)), .didDisconnect(.left),
        .didBeginReconnecting, .didReconnect(isNewConnection: false), .relayDraining(seconds: 1),
        .noMediaPath(NoMediaPath(MediaPathReport(stage: .ice, candidates: []), .publish)), .mediaPathFound(.publish),
        .connectionCreated(user), .connectionDestroyed(user, .left), .userChanged(user), .userDropped(user.id, true),
        .hostChanged(nil), .streamCreated(stream), .streamChanged(stream), .streamDestroyed(stream, .unpublished),
        .recordingStarted(stream.id), .recordingStopped(stream.id), .usersUnlisted([user]), .userCountChanged(3),
        .unmuted(by: user.id, kind: .audio),
        .signal(from: nil, type: "t", data: ""), .muteForced(isActive: true), .streamMuteForced(stream.id, nil),
        .unmuteRequested(from: user.id, kind: .audio), .shareLockChanged(isLocked: true), .activeSpeakerChanged(nil),
        .subsessions(.roleChanged(isManager: true)), .chat(.allowedChanged(true)),
        .encryptionFailed(stream.id, .wrongSecret), .safetyNumberChanged("1"), .keyAgreementFailed(.noKeys),
        .liveStarted(live, stream.id),
        .liveFailed(PushFailed(id: live, stream: stream.id, reason: .refused, detail: "")),
        .liveStopped(PushStopped(id: live, stream: stream.id, reason: .stopped)),
    ]

    /// Returns the method that an event calls. A new event does not compile here until it has one.
    private static func method(for event: SessionEvent) -> String {
        switch event {
        case .statusChanged: "statusChanged"
        case .didConnect: "didConnect"
        case .didFail: "didFail"
        case .didDisconnect: "didDisconnect"
        case .didBeginReconnecting: "didBeginReconnecting"
        case .didReconnect: "didReconnect"
        case .relayDraining: "relayDraining"
        case .noMediaPath: "noMediaPath"
        case .mediaPathFound: "mediaPathFound"
        case .connectionCreated: "connectionCreated"
        case .connectionDestroyed: "connectionDestroyed"
        case .userChanged: "userChanged"
        case .userDropped: "userDropped"
        case .hostChanged: "hostChanged"
        case .streamCreated: "streamCreated"
        case .streamChanged: "streamChanged"
        case .streamDestroyed: "streamDestroyed"
        case .usersUnlisted: "usersUnlisted"
        case .userCountChanged: "userCountChanged"
        case .unmuted: "unmuted"
        case .recordingStarted: "recordingStarted"
        case .recordingStopped: "recordingStopped"
        case .liveStarted: "liveStarted"
        case .liveFailed: "liveFailed"
        case .liveStopped: "liveStopped"
        case .signal: "signal"
        case .muteForced: "muteForced"
        case .streamMuteForced: "streamMuteForced"
        case .unmuteRequested: "unmuteRequested"
        case .shareLockChanged: "shareLockChanged"
        case .activeSpeakerChanged: "activeSpeakerChanged"
        case .subsessions: "subsessions"
        case .chat: "chat"
        case .encryptionFailed: "encryptionFailed"
        case .safetyNumberChanged: "safetyNumberChanged"
        case .keyAgreementFailed: "keyAgreementFailed"
        }
    }

    @Test("Each event calls its own method, once") func methods() {
        let session = Session(url: "ws://127.0.0.1:1", token: "t")
        for event in Self.events {
            let listener = Listener()
            listener.session(session, didReceive: event)
            #expect(listener.calls == [Self.method(for: event)], "\(event)")
        }
        // Every method of this class was called, so the list above contains every kind of event.
        #expect(Set(Self.events.map(Self.method)).count == Self.events.count && Self.events.count == 36)
    }

    /// Returns the method by which an application learns of a protocol event. A new event does not compile here until it has one.
    private static func told(_ name: EventName) -> String {
        switch name {
        case .userJoined, .usersChanged: "connectionCreated"
        case .userChanged: "userChanged"
        case .userLeft: "connectionDestroyed"
        case .userDropped: "userDropped"
        case .hostChanged: "hostChanged"
        case .streamCreated: "streamCreated"
        case .streamChanged: "streamChanged"
        case .streamDestroyed: "streamDestroyed"
        case .recordingStarted: "recordingStarted"
        case .recordingStopped: "recordingStopped"
        case .liveStarted: "liveStarted"
        case .liveFailed: "liveFailed"
        case .liveStopped: "liveStopped"
        case .signal: "signal"
        case .muteForced: "muteForced"
        case .unmuteRequested: "unmuteRequested"
        case .shareLockChanged: "shareLockChanged"
        case .activeSpeaker: "activeSpeakerChanged"
        case .subsessionsChanged, .subsessionRoleChanged, .subsessionUsersChanged, .broadcast, .helpRequested,
            .helpEnded, .helpResult:
            "subsessions"
        case .chat, .chatAllowedChanged: "chat"
        case .draining: "relayDraining"
        case .disconnected: "didDisconnect"
        // Reported by `SubscriberEvent`; the library answers offers and replaces lost media itself.
        case .subscriptionChanged, .offer, .mediaReset: ""
        // Events of conversations, for `MessagingDelegate`.
        case .messageReceived, .notification, .conversationsChanged, .totalUnreadChanged, .groupChanged,
            .groupDismissed:
            ""
        }
    }

    @Test("Each event of the protocol about the session has a method") func protocolEvents() {
        let methods = Set(Self.events.map(Self.method))
        let missing = EventName.allCases.map(Self.told).filter { !$0.isEmpty && !methods.contains($0) }
        #expect(missing.isEmpty && EventName.allCases.count > 30)
    }
}
