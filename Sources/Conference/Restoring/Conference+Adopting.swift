package import MediaBase
package import Signaling

/// Streams that continue after the loss of the session's home relay.
extension Conference {
    /// Returns whether the streams of a surviving peer connection are exactly those that the stored state has of a client that has not resumed
    /// yet.
    package func mayAdopt(_ streams: [SurvivingStream], of id: ConnectionID, now: MediaTime) -> Bool {
        guard let participant = participants[id], participant.isClient,
            participant.graceEnds.map({ $0 > now }) ?? false,
            streams.count == participant.formerStreams.count, published.count + streams.count <= limits.streams
        else { return false }
        let survivors = Dictionary(streams.map { ($0.id, $0) }) { first, _ in first }
        return participant.formerStreams.allSatisfy { former in
            guard let survivor = survivors[former.id], published[former.id] == nil else { return false }
            return survivor.hasAudio == former.hasAudio && survivor.hasVideo == former.hasVideo
        }
    }

    /// Continues streams for which `mayAdopt` is true. A track is muted if the stored state or its relay says so: the relay may have carried a
    /// mute out that was not stored any more.
    ///
    /// No webhook tells of them, because the previous home relay has done so.
    package mutating func adopt(_ streams: [SurvivingStream], of id: ConnectionID, now: MediaTime) -> [Effect] {
        latest = now
        let former = participants[id]?.formerStreams ?? []
        let survivors = Dictionary(streams.map { ($0.id, $0) }) { first, _ in first }
        for stream in former { adopt(stream, of: id, muted: survivors[stream.id]?.muted ?? []) }
        forgetFormerStreams(of: id)
        noteSeat(of: id)
        refreshListing(of: id)
        for stream in former where stream.isAnnounced {
            if let info = info(of: stream.id) { tellAll(.streamCreated(StreamCreated(stream: info))) }
        }
        refreshStatus(of: id)
        // The lock may be newer than the streams' last stored state.
        enforceShareLock(on: id)
        return takeEffects()
    }

    private mutating func adopt(_ former: Seat.Stream, of owner: ConnectionID, muted: Set<TrackKind>) {
        var stream = PublishedStream(
            id: former.id, owner: owner, name: former.name, videoType: former.videoType,
            isEncrypted: former.isEncrypted, width: 0, height: 0)
        stream.phase = former.isAnnounced ? .announced : .negotiated
        (stream.hasAudioTrack, stream.hasVideoTrack) = (former.hasAudio, former.hasVideo)
        (stream.codec, stream.createdAt) = (former.codec, former.createdAt)
        for kind in TrackKind.allCases where stream.has(kind) {
            let isMuted = muted.contains(kind) || participants[owner]?.inherits(kind, former.videoType) == true
            stream.setMuted(kind, isMuted)
            participants[owner]?.inheritedMutes.remove(Seat.Mute(videoType: former.videoType, kind: kind))
            if isMuted { command(.setMuted(former.id, kind, true)) }
        }
        published[former.id] = stream
        participants[owner]?.streams.append(former.id)
        guard former.isAnnounced else { return }
        let index = streamOrder.firstIndex { published[$0].map { $0.createdAt > former.createdAt } ?? false }
        streamOrder.insert(former.id, at: index ?? streamOrder.endIndex)
    }

    /// Mutes the audio of streams that a peer connection may still continue: some relays answer the next home relay only after clients have
    /// entered.
    mutating func muteFormerStreams(excluding excluded: Set<StreamID>) {
        for id in order {
            let former = participants[id]?.formerStreams ?? []
            for stream in former where stream.hasAudio && !excluded.contains(stream.id) {
                participants[id]?.inheritedMutes.insert(Seat.Mute(videoType: stream.videoType, kind: .audio))
                noteSeat(of: id)
            }
        }
    }

    /// Forgets streams that no peer connection has continued.
    mutating func forgetFormerStreams(of id: ConnectionID) {
        guard participants[id]?.formerStreams.isEmpty == false else { return }
        participants[id]?.formerStreams = []
        noteSeat(of: id)
    }
}
