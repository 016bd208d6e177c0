import Conference
import MediaEngine
import Signaling

/// Notes of a session's decisions in crash reports. `SessionCore.perform` adds each effect of `Conference` before it is carried out.
struct SessionCrashNotes {
    /// Hash of the session's name in the media engine.
    private let session: UInt64

    init(engineName: String) { session = CrashNotes.hash(engineName) }

    /// Adds a decision of `Conference`. Events for clients follow from decisions and are not noted.
    func note(_ effect: Effect) {
        switch effect {
        case .send, .broadcast: break
        case .close(let id, _): note("close", id.rawValue)
        case .media(let command): note(command)
        case .push(.start(let id, _)): note("startLive", id.rawValue)
        case .push(.stop(let id)): note("stopLive", id.rawValue)
        case .hook(let hook): note(hook)
        case .ended: note("ended", "")
        }
    }

    private func note(_ command: MediaCommand) {
        switch command {
        case .setMuted(let stream, _, let isMuted): note(isMuted ? "mute" : "unmute", stream.rawValue)
        case .unpublish(let stream): note("unpublish", stream.rawValue)
        case .subscribe(let id, _, _): note("subscribe", id.rawValue)
        case .updateSubscription(let id, _, _): note("updateSubscription", id.rawValue)
        case .unsubscribe(let id, _): note("unsubscribe", id.rawValue)
        case .relocate(let ids, _): note("relocate", ids.first?.rawValue ?? "", Int64(ids.count))
        case .closeMedia(let id): note("closeMedia", id.rawValue)
        }
    }

    private func note(_ hook: HookEvent) {
        switch hook {
        case .sessionStarted: note("sessionStarted", "")
        case .sessionEnded: note("sessionEnded", "")
        case .participantJoined(let user): note("participantJoined", user.id.rawValue)
        case .participantLeft(let user, _): note("participantLeft", user.id.rawValue)
        case .streamPublished(let stream): note("streamPublished", stream.id.rawValue)
        case .streamUnpublished(let stream, _): note("streamUnpublished", stream.id.rawValue)
        case .liveStarted(let id, _): note("liveStarted", id.rawValue)
        case .liveFailed(let failure): note("liveFailed", failure.id.rawValue)
        case .liveStopped(let end): note("liveStopped", end.id.rawValue)
        }
    }

    private func note(_ kind: String, _ subject: String, _ value: Int64 = 0) {
        CrashNotes.note(
            kind, session: session, subject: subject.isEmpty ? 0 : CrashNotes.hash(subject), value: value)
    }
}
