import Signaling

extension Conference {
    /// The one place where media is muted and unmuted. Silence comes before the news of it.
    /// - Parameter isForced: by somebody else than the publisher, who is told by an event of its own (MUT-3).
    mutating func setMuted(_ id: StreamID, _ kind: TrackKind, _ isMuted: Bool, isForced: Bool) {
        guard var stream = published[id], stream.has(kind), stream.isMuted(kind) != isMuted else { return }
        command(.setMuted(id, kind, isMuted))
        noteMuted(&stream, kind, isMuted, isForced: isForced)
    }

    /// What the media plane does not do is not told as if it were so.
    mutating func takeBackMute(_ id: StreamID, _ kind: TrackKind, _ isMuted: Bool) {
        guard var stream = published[id], stream.has(kind), stream.isMuted(kind) == isMuted else { return }
        noteMuted(&stream, kind, !isMuted, isForced: false)
    }

    private mutating func noteMuted(
        _ stream: inout PublishedStream, _ kind: TrackKind, _ isMuted: Bool, isForced: Bool
    ) {
        let id = stream.id
        let before = stream
        stream.setMuted(kind, isMuted)
        if stream.phase != .announced {
            if isForced, isMuted { stream.untoldMutes.insert(kind) } else { stream.untoldMutes.remove(kind) }
        }
        published[id] = stream
        guard stream.phase == .announced else { return }
        if isForced, isMuted {
            tell(stream.owner, .muteForced(MuteForced(isActive: true, stream: id, kind: kind)))
        }
        if let info = info(of: id) { tellAll(.streamChanged(StreamChanged(stream: info))) }
        refreshStatus(of: stream.owner)
        tellVideoChange(of: before, to: stream)
    }

    /// All streams of a user, those that begin included.
    mutating func muteUser(_ id: ConnectionID, _ kind: TrackKind, isForced: Bool) throws(SignalingError) {
        guard let participant = participants[id] else { throw SignalingError(.unknownUser, field: "user") }
        for stream in participant.streams { setMuted(stream, kind, true, isForced: isForced) }
    }

    /// Asks the user's client, or unmutes all streams of the user, those that begin included, if the policy allows it (USR-10).
    mutating func requestUnmute(
        _ id: ConnectionID, _ kind: TrackKind, by sender: ConnectionID
    ) throws(SignalingError) {
        guard let participant = participants[id] else { throw SignalingError(.unknownUser, field: "user") }
        if limits.policy.unmuteOthers == .direct {
            for stream in participant.streams { setMuted(stream, kind, false, isForced: false) }
            // Its client may have stopped sending.
            return tell(id, .unmuteRequested(UnmuteRequested(from: sender, kind: kind, isUnmuted: true)))
        }
        guard participant.isClient else {
            throw SignalingError(.notPermitted, "that publisher has no client to ask", field: "user")
        }
        tell(id, .unmuteRequested(UnmuteRequested(from: sender, kind: kind)))
    }

    mutating func forceMuteStream(_ id: StreamID) throws(SignalingError) {
        guard let stream = published[id], stream.phase == .announced else {
            throw SignalingError(.unknownStream, field: "stream")
        }
        guard stream.hasAudioTrack else { throw SignalingError(.noTrack, field: "stream") }
        setMuted(id, .audio, true, isForced: true)
        tellAll(.muteForced(MuteForced(isActive: isMuteForced)))
    }

    /// MUT-1: the caller's own streams too, and those that begin.
    mutating func forceMuteAll(excluding: [StreamID]) {
        isMuteForced = true
        let excluded = Set(excluding)
        let muted = order.flatMap { participants[$0]?.streams ?? [] }.compactMap { published[$0] }.filter {
            !excluded.contains($0.id) && $0.hasAudioTrack && !$0.isAudioMuted
        }
        // First of all silence, in every stream; then the news.
        for stream in muted { command(.setMuted(stream.id, .audio, true)) }
        tellAll(.muteForced(MuteForced(isActive: true)))
        for var stream in muted { noteMuted(&stream, .audio, true, isForced: true) }
    }

    mutating func disableForceMute() {
        isMuteForced = false
        tellAll(.muteForced(MuteForced(isActive: false)))
    }

    /// A user's audio, video and share status follows its streams (USR-1).
    mutating func refreshStatus(of id: ConnectionID) {
        guard let participant = participants[id] else { return }
        let streams = participant.streams.compactMap { published[$0] }.filter { $0.phase == .announced }
        var info = participant.info
        info.audio = status(streams.filter(\.hasAudioTrack).map(\.isAudioMuted))
        info.video = status(streams.filter { $0.hasVideoTrack && $0.videoType == .camera }.map(\.isVideoMuted))
        info.share = status(streams.filter { $0.hasVideoTrack && $0.videoType == .screen }.map(\.isVideoMuted))
        guard info != participant.info else { return }
        participants[id]?.info = info
        tellUserChanged(id)
    }

    /// - Parameter muted: of each stream that has the kind.
    private func status(_ muted: [Bool]) -> MediaStatus {
        muted.isEmpty ? .off : muted.contains(false) ? .on : .muted
    }
}
