import Signaling

extension Conference {
    /// The first media is there: everybody hears of the stream, its publisher too (STR-2).
    mutating func announce(
        _ id: StreamID, of owner: ConnectionID, hasAudio: Bool, hasVideo: Bool, width: Int, height: Int,
        wallClock: Int64
    ) {
        guard var stream = published[id], stream.owner == owner else {
            // It ended while its first packets were on their way.
            return command(.unpublish(id))
        }
        guard stream.phase != .announced else { return }
        stream.phase = .announced
        stream.setTracks(hasAudio: hasAudio, hasVideo: hasVideo, isMuteForced: isMuteForced)
        if width > 0, height > 0 { (stream.width, stream.height) = (width, height) }
        stream.createdAt = wallClock
        published[id] = stream
        streamOrder.append(id)
        if hasAudio, stream.isAudioMuted { command(.setMuted(id, .audio, true)) }
        if hasVideo, stream.isVideoMuted { command(.setMuted(id, .video, true)) }
        guard let info = info(of: id) else { return }
        refreshListing(of: owner)
        tellAll(.streamCreated(StreamCreated(stream: info)))
        refreshStatus(of: owner)
        tellUntoldMutes(of: id)
        hook(.streamPublished(info))
    }

    /// Forced mutes of before the stream was announced.
    mutating func tellUntoldMutes(of id: StreamID) {
        guard let stream = published[id], stream.phase == .announced, !stream.untoldMutes.isEmpty else { return }
        published[id]?.untoldMutes = []
        for kind in TrackKind.allCases where stream.untoldMutes.contains(kind) {
            tell(stream.owner, .muteForced(MuteForced(isActive: true, stream: id, kind: kind)))
        }
    }

    /// Forwarding stops first; then all are told, its publisher too (STR-4). One that was never announced goes in silence.
    mutating func destroy(_ id: StreamID, _ reason: StreamEndReason) {
        guard let stream = published[id] else { return }
        command(.unpublish(id))
        for subscriber in subscribers(of: stream) { forgetSubscription(of: subscriber, to: id) }
        let info = info(of: id)
        published[id] = nil
        participants[stream.owner]?.streams.removeAll { $0 == id }
        guard stream.phase == .announced, let info else {
            // Only its publisher knows of it.
            if stream.phase == .negotiated {
                tell(stream.owner, .streamDestroyed(StreamDestroyed(stream: id, reason: reason)))
            }
            return
        }
        streamOrder.removeAll { $0 == id }
        if stream.isRecorded { tellAll(.recordingStopped(RecordingStopped(stream: id))) }
        tellAll(.streamDestroyed(StreamDestroyed(stream: id, reason: reason)))
        refreshStatus(of: stream.owner)
        refreshListing(of: stream.owner)
        silenceSpeaker(id)
        hook(.streamUnpublished(info, reason))
    }

    /// Tells all clients (REC-1). A stream that is not announced yet is left out; the media plane reports it again after its announcement.
    mutating func setRecorded(_ id: StreamID, _ isRecorded: Bool) {
        guard let stream = published[id], stream.phase == .announced, stream.isRecorded != isRecorded else { return }
        published[id]?.isRecorded = isRecorded
        tellAll(
            isRecorded
                ? .recordingStarted(RecordingStarted(stream: id)) : .recordingStopped(RecordingStopped(stream: id)))
    }

    mutating func updateStream(_ request: UpdateStreamRequest) throws(SignalingError) {
        guard let before = published[request.stream] else { throw SignalingError(.unknownStream, field: "stream") }
        if let name = request.name { try StreamName.check(name) }
        try Bounds.check(request.width, 0...Bounds.pixels, "width")
        try Bounds.check(request.height, 0...Bounds.pixels, "height")
        var stream = before
        stream.name = request.name ?? before.name
        stream.width = request.width ?? before.width
        stream.height = request.height ?? before.height
        published[request.stream] = stream
        tellChange(from: before)
    }

    mutating func setDimensions(_ id: StreamID, width: Int, height: Int) {
        guard let before = published[id], width > 0, height > 0 else { return }
        published[id]?.width = width
        published[id]?.height = height
        tellChange(from: before)
    }

    /// Tells of a change if there is one that others can see.
    mutating func tellChange(from before: PublishedStream) {
        guard let stream = published[before.id], stream.phase == .announced, let info = info(of: stream.id) else {
            return
        }
        guard info != before.info(isDropped: info.isDropped) else { return }
        tellAll(.streamChanged(StreamChanged(stream: info)))
        refreshStatus(of: stream.owner)
    }
}
