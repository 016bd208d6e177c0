package import MediaBase
package import Signaling

extension Conference {
    /// Performs a command of the operator.
    package mutating func admin(_ command: AdminCommand, now: MediaTime) -> Result<[Effect], SignalingError> {
        latest = now
        do throws(SignalingError) {
            if phase == .ended { throw SignalingError(.sessionEnded) }
            try perform(command)
            return .success(takeEffects())
        } catch {
            effects = []
            return .failure(error)
        }
    }

    private mutating func perform(_ command: AdminCommand) throws(SignalingError) {
        switch command {
        case .setMuted(let id, let kind, let isMuted):
            // A planned stream starts muted if this is called before its first media.
            guard let stream = published[id], stream.phase != .planned else {
                throw SignalingError(.unknownStream, field: "stream")
            }
            guard stream.has(kind) else { throw SignalingError(.noTrack, field: "kind") }
            if !isMuted, participants[stream.owner]?.isClient == true {
                throw SignalingError(.notPermitted, "only its publisher unmutes it")
            }
            setMuted(id, kind, isMuted, isForced: true)
        case .muteUser(let id, let kind): try muteUser(id, kind, isForced: true)
        case .forceMuteAll(let excluding): forceMuteAll(excluding: excluding)
        case .disableForceMute: disableForceMute()
        case .lockShare(let isLocked): lockShare(isLocked)
        case .unpublish(let id):
            let owner = try announced(id).owner
            if participants[owner]?.info.kind == .publisher {
                // A publisher without signalling has only this stream and cannot publish another.
                depart(owner, .removed)
            } else {
                destroy(id, .forced)
            }
        case .remove(let id):
            guard participants[id] != nil else { throw SignalingError(.unknownUser, field: "user") }
            remove(id)
        case .signal(let type, let data, let to): try signal(type: type, data: data, to: to, from: nil)
        case .drain(let event): tellAll(.draining(event))
        case .end: finish(.sessionEnded)
        }
    }

    private func announced(_ id: StreamID) throws(SignalingError) -> PublishedStream {
        guard let stream = published[id], stream.phase == .announced else {
            throw SignalingError(.unknownStream, field: "stream")
        }
        return stream
    }
}
