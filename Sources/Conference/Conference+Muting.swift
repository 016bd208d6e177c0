import Signaling

extension Conference {
    /// Mutes or unmutes a track; the only code that does. The media plane mutes before clients are notified.
    /// - Parameter isForced: another participant mutes; the publisher gets an event of its own (MUT-3).
    mutating func setMuted(_ id: StreamID, _ kind: TrackKind, _ isMuted: Bool, isForced: Bool) {
        guard var stream = published[id], stream.has(kind), stream.isMuted(kind) != isMuted else { return }
        command(.setMuted(id, kind, isMuted))
        noteMuted(&stream, kind, isMuted, isForced: isForced)
    }

    /// Reverts a mute or unmute that the media plane could not perform.
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
        noteSeat(of: stream.owner)
        guard stream.phase == .announced else { return }
        if isForced, isMuted {
            tell(stream.owner, .muteForced(MuteForced(isActive: true, stream: id, kind: kind)))
        }
        if let info = info(of: id) { tellAll(.streamChanged(StreamChanged(stream: info))) }
        refreshStatus(of: stream.owner)
        tellVideoChange(of: before, to: stream)
    }

    /// Mutes all streams of a participant, including those not announced yet.
    mutating func muteUser(_ id: ConnectionID, _ kind: TrackKind, isForced: Bool) throws(SignalingError) {
        guard let participant = participants[id] else { throw SignalingError(.unknownUser, field: "user") }
        for stream in participant.streams { setMuted(stream, kind, true, isForced: isForced) }
    }

    /// Asks the participant's client to unmute, or unmutes all its streams directly if the policy allows it (USR-10).
    /// Includes streams not announced yet.
    mutating func requestUnmute(
        _ id: ConnectionID, _ kind: TrackKind, by sender: ConnectionID
    ) throws(SignalingError) {
        guard let participant = participants[id] else { throw SignalingError(.unknownUser, field: "user") }
        if limits.policy.unmuteOthers == .direct {
            for stream in participant.streams { setMuted(stream, kind, false, isForced: false) }
            // The event is needed because the client may have stopped sending.
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

    /// Mutes the audio of all streams (MUT-1), including the caller's own, those not announced yet, and those that may still continue after the
    /// loss of the session's home relay.
    mutating func forceMuteAll(excluding: [StreamID]) {
        isMuteForced = true
        let excluded = Set(excluding)
        muteFormerStreams(excluding: excluded)
        let muted = order.flatMap { participants[$0]?.streams ?? [] }.compactMap { published[$0] }.filter {
            !excluded.contains($0.id) && $0.hasAudioTrack && !$0.isAudioMuted
        }
        // Mutes all streams before the first event is sent.
        for stream in muted { command(.setMuted(stream.id, .audio, true)) }
        tellAll(.muteForced(MuteForced(isActive: true)))
        for var stream in muted { noteMuted(&stream, .audio, true, isForced: true) }
    }

    mutating func disableForceMute() {
        isMuteForced = false
        tellAll(.muteForced(MuteForced(isActive: false)))
    }

    /// Derives a participant's audio, video and share status from its streams (USR-1).
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

    /// - Parameter muted: mute state of each stream that has the kind.
    private func status(_ muted: [Bool]) -> MediaStatus {
        muted.isEmpty ? .off : muted.contains(false) ? .on : .muted
    }
}
