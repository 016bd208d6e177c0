package import Signaling

extension Conference {
    /// Checks a publish request against all rules and reserves its streams (STR-1). The caller negotiates with the
    /// media plane, then calls `confirmPublish` or `cancelPublish`. Publishers without signalling use it as well.
    /// - Parameter newIDs: unused ids, at least one for each new stream.
    package mutating func preparePublish(
        _ wanted: [PublishRequest.Stream], from sender: ConnectionID, newIDs: [StreamID]
    ) -> Result<PublishPlan, SignalingError> {
        do throws(SignalingError) {
            let plan = try plan(wanted, sender, newIDs)
            for stream in plan.streams where stream.isNew { hold(stream, of: sender) }
            return .success(plan)
        } catch {
            return .failure(error)
        }
    }

    /// Applies a plan that the media plane has carried out. Repeats mutes that changed since the plan was made, and
    /// unpublishes streams that ended since.
    package mutating func confirmPublish(_ plan: PublishPlan) -> [Effect] {
        for planned in plan.streams {
            if published[planned.id]?.owner == plan.connection {
                confirm(planned)
            } else {
                command(.unpublish(planned.id))
                // The publisher learns the id from the answer to this request, which is sent first.
                if planned.isNew {
                    tell(plan.connection, .streamDestroyed(StreamDestroyed(stream: planned.id, reason: .forced)))
                }
            }
        }
        for id in plan.removed where published[id]?.owner == plan.connection { destroy(id, .unpublished) }
        return takeEffects()
    }

    /// Drops the plan's new streams after a failed negotiation. Earlier streams stay as they are.
    package mutating func cancelPublish(_ plan: PublishPlan) -> [Effect] {
        for planned in plan.streams where planned.isNew && published[planned.id]?.owner == plan.connection {
            destroy(planned.id, .unpublished)
        }
        return takeEffects()
    }

    private mutating func confirm(_ planned: PublishPlan.Stream) {
        guard let before = published[planned.id] else { return }
        reservation = nil
        var stream = before
        if stream.phase == .planned { stream.phase = .negotiated }
        stream.name = planned.name
        stream.codec = planned.codec
        if planned.width > 0, planned.height > 0 { (stream.width, stream.height) = (planned.width, planned.height) }
        stream.setTracks(
            hasAudio: planned.audioMid != nil, hasVideo: planned.videoMid != nil, isMuteForced: isMuteForced)
        published[stream.id] = stream
        noteSeat(of: stream.owner)
        for kind in TrackKind.allCases where stream.has(kind) {
            participants[stream.owner]?.inheritedMutes.remove(Seat.Mute(videoType: stream.videoType, kind: kind))
            let startsMuted = kind == .audio ? planned.startsAudioMuted : planned.startsVideoMuted
            if stream.isMuted(kind) || startsMuted { command(.setMuted(stream.id, kind, stream.isMuted(kind))) }
        }
        tellChange(from: before)
        tellUntoldMutes(of: stream.id)
        guard stream.hasAudioTrack != before.hasAudioTrack || stream.hasVideoTrack != before.hasVideoTrack else {
            return
        }
        for connection in subscribers(of: stream) {
            guard let subscription = participants[connection]?.subscriptions[stream.id], subscription.isOrdered else {
                continue
            }
            command(.updateSubscription(connection, stream.id, subscription.preferences))
        }
    }

    private func plan(
        _ wanted: [PublishRequest.Stream], _ sender: ConnectionID, _ newIDs: [StreamID]
    ) throws(SignalingError) -> PublishPlan {
        // Not in `rules`: publishers without signalling are checked here too, and the media engine is between plan and
        // confirmation.
        try authorize(PublishRequest.permission, sender)
        guard let participant = participants[sender] else { throw SignalingError(.notJoined) }
        var plan = PublishPlan(connection: sender, streams: [], removed: [])
        var unused = newIDs.makeIterator()
        for stream in wanted {
            try check(stream)
            if let id = stream.id {
                plan.streams.append(try planned(stream, earlier: id, plan, sender))
            } else {
                try checkShare(stream, participant)
                guard let id = unused.next() else { throw SignalingError(.internalError) }
                guard published[id] == nil, !plan.streams.contains(where: { $0.id == id }) else {
                    throw SignalingError(.streamExists, field: "streams")
                }
                let begins = stream.videoType == .camera ? participant.media : JoinMedia()
                guard !requiresEncryption || stream.isEncrypted == true else {
                    throw SignalingError(.encryptionRequired, field: "streams")
                }
                plan.streams.append(
                    planned(
                        stream, as: id, isNew: true,
                        mutes: (
                            isMuteForced || begins.startsAudioMuted || participant.inherits(.audio, stream.videoType),
                            begins.startsVideoMuted || participant.inherits(.video, stream.videoType)
                        )))
            }
        }
        let named = Set(plan.streams.map(\.id))
        let earlier = participant.streams.compactMap { published[$0] }
        plan.removed = earlier.filter { $0.phase != .planned && !named.contains($0.id) }.map(\.id)
        // Streams of a request that is still being negotiated count as well.
        let others = earlier.filter { $0.phase == .planned && !named.contains($0.id) }.map(\.videoType)
        for type in [VideoType.camera, .screen] {
            let count = (plan.streams.map(\.videoType) + others).count { $0 == type }
            guard count <= 1 else {
                throw SignalingError(
                    .streamExists, "a connection publishes one \(type.rawValue) stream", field: "streams")
            }
        }
        let begun = plan.streams.count(where: \.isNew)
        guard published.count - plan.removed.count + begun <= limits.streams || begun == 0 else {
            throw SignalingError(
                .limitReached, "the session has \(limits.streams) streams already", limit: ConferenceLimits.streamsKey)
        }
        return plan
    }

    private func planned(
        _ stream: PublishRequest.Stream, earlier id: StreamID, _ plan: PublishPlan, _ sender: ConnectionID
    ) throws(SignalingError) -> PublishPlan.Stream {
        guard let known = published[id], known.owner == sender, !plan.streams.contains(where: { $0.id == id }) else {
            throw SignalingError(.unknownStream, field: "streams")
        }
        guard known.videoType == stream.videoType else {
            throw SignalingError(.invalidField, "a stream keeps its video type", field: "streams")
        }
        guard known.isEncrypted == (stream.isEncrypted ?? false) else {
            throw SignalingError(.invalidField, "a stream keeps its encryption", field: "streams")
        }
        let mutesAudio = known.isAudioMuted || isMuteForced && !known.hasAudioTrack
        return planned(stream, as: id, isNew: false, mutes: (mutesAudio, known.isVideoMuted))
    }

    private func planned(
        _ stream: PublishRequest.Stream, as id: StreamID, isNew: Bool, mutes: (audio: Bool, video: Bool)
    ) -> PublishPlan.Stream {
        PublishPlan.Stream(
            id: id, isNew: isNew, name: stream.name, videoType: stream.videoType, audioMid: stream.audioMid,
            videoMid: stream.videoMid, width: stream.width ?? 0, height: stream.height ?? 0,
            startsAudioMuted: mutes.audio && stream.audioMid != nil,
            startsVideoMuted: mutes.video && stream.videoMid != nil, isEncrypted: stream.isEncrypted ?? false)
    }

    private func check(_ stream: PublishRequest.Stream) throws(SignalingError) {
        try StreamName.check(stream.name)
        let mids = [stream.audioMid, stream.videoMid].compactMap { $0 }
        guard !mids.isEmpty else {
            throw SignalingError(.invalidField, "a stream has an audioMid or a videoMid", field: "streams")
        }
        guard mids.allSatisfy({ !$0.isEmpty && $0.utf8.count <= Bounds.mid }) else {
            throw SignalingError(.invalidField, "a mid has 1 to \(Bounds.mid) bytes", field: "streams")
        }
        try Bounds.check(stream.width, 0...Bounds.pixels, "width")
        try Bounds.check(stream.height, 0...Bounds.pixels, "height")
    }

    /// Refuses a screen share of a plain participant while sharing is locked (USR-7).
    private func checkShare(_ stream: PublishRequest.Stream, _ participant: Participant) throws(SignalingError) {
        guard stream.videoType == .screen, isShareLocked, participant.info.role == .participant else { return }
        throw SignalingError(.shareLocked, field: "streams")
    }

    private mutating func hold(_ planned: PublishPlan.Stream, of sender: ConnectionID) {
        var stream = PublishedStream(
            id: planned.id, owner: sender, name: planned.name, videoType: planned.videoType,
            isEncrypted: planned.isEncrypted, width: planned.width, height: planned.height)
        stream.setTracks(
            hasAudio: planned.audioMid != nil, hasVideo: planned.videoMid != nil, isMuteForced: isMuteForced)
        // The publisher requested these mutes and needs no event.
        if planned.startsAudioMuted { stream.setMuted(.audio, true) }
        if planned.startsVideoMuted { stream.setMuted(.video, true) }
        published[planned.id] = stream
        participants[sender]?.streams.append(planned.id)
        noteSeat(of: sender)
    }
}
