import Signaling

extension Conference {
    /// Announces a stream to all clients, including its publisher, when its first media arrives (STR-2).
    mutating func announce(
        _ id: StreamID, of owner: ConnectionID, hasAudio: Bool, hasVideo: Bool, width: Int, height: Int,
        wallClock: Int64
    ) {
        guard var stream = published[id], stream.owner == owner else {
            // The stream ended while its first packets were under way.
            return command(.unpublish(id))
        }
        guard stream.phase != .announced else { return }
        stream.phase = .announced
        stream.setTracks(hasAudio: hasAudio, hasVideo: hasVideo, isMuteForced: isMuteForced)
        if width > 0, height > 0 { (stream.width, stream.height) = (width, height) }
        stream.createdAt = wallClock
        published[id] = stream
        noteSeat(of: owner)
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

    /// Notifies the publisher of forced mutes that happened before the announcement.
    mutating func tellUntoldMutes(of id: StreamID) {
        guard let stream = published[id], stream.phase == .announced, !stream.untoldMutes.isEmpty else { return }
        published[id]?.untoldMutes = []
        for kind in TrackKind.allCases where stream.untoldMutes.contains(kind) {
            tell(stream.owner, .muteForced(MuteForced(isActive: true, stream: id, kind: kind)))
        }
    }

    /// Stops forwarding, then notifies all clients, including the publisher (STR-4). Sends no event to others if the
    /// stream was never announced.
    mutating func destroy(_ id: StreamID, _ reason: StreamEndReason) {
        guard let stream = published[id] else { return }
        command(.unpublish(id))
        endPushes(of: id)
        for subscriber in subscribers(of: stream) { forgetSubscription(of: subscriber, to: id) }
        let info = info(of: id)
        published[id] = nil
        participants[stream.owner]?.streams.removeAll { $0 == id }
        noteSeat(of: stream.owner)
        guard stream.phase == .announced, let info else {
            // Only the publisher knows the stream.
            if stream.phase == .negotiated {
                tell(stream.owner, .streamDestroyed(StreamDestroyed(stream: id, reason: reason)))
            }
            return
        }
        streamOrder.removeAll { $0 == id }
        if stream.isRecorded {
            recordedCount -= 1
            tellAll(.recordingStopped(RecordingStopped(stream: id)))
        }
        tellAll(.streamDestroyed(StreamDestroyed(stream: id, reason: reason)))
        refreshStatus(of: stream.owner)
        refreshListing(of: stream.owner)
        silenceSpeaker(id)
        hook(.streamUnpublished(info, reason))
    }

    /// Notifies all clients of a recording's start or end (REC-1). Ignores a stream that is not announced yet: the
    /// media plane repeats the report after the announcement.
    mutating func setRecorded(_ id: StreamID, _ isRecorded: Bool) {
        guard let stream = published[id], stream.phase == .announced, stream.isRecorded != isRecorded else { return }
        published[id]?.isRecorded = isRecorded
        recordedCount += isRecorded ? 1 : -1
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
        noteSeat(of: stream.owner)
        tellChange(from: before)
    }

    mutating func setDimensions(_ id: StreamID, width: Int, height: Int) {
        guard let before = published[id], width > 0, height > 0 else { return }
        published[id]?.width = width
        published[id]?.height = height
        tellChange(from: before)
    }

    /// Notifies clients if a change is visible to them.
    mutating func tellChange(from before: PublishedStream) {
        guard let stream = published[before.id], stream.phase == .announced, let info = info(of: stream.id) else {
            return
        }
        guard info != before.info(isDropped: info.isDropped) else { return }
        tellAll(.streamChanged(StreamChanged(stream: info)))
        refreshStatus(of: stream.owner)
    }
}
