package import Conference
package import MediaBase
import SDP
package import Signaling

/// Publish peer connections. A client has one publish request in progress; further ones wait.
extension SessionMedia {
    /// Handles an offer of a client's publish peer connection: the first, or one that changes its tracks or restarts ICE.
    ///
    /// - Parameters:
    ///   - takesKeys: whether the client's connection is confidential, so that the offer may contain keys.
    ///   - videoCodecs: codecs that the relay forwards.
    package mutating func publish(
        _ body: PublishRequest, of id: ConnectionID, takesKeys: Bool, videoCodecs: [VideoCodec],
        _ request: MediaRequestID
    ) {
        guard members[id] != nil else {
            return outputs.append(.published(request, .failure(.error(SignalingError(.notJoined)))))
        }
        members[id]?.waitingToPublish.append(
            Publishing(request, body, takesKeys: takesKeys, videoCodecs: videoCodecs))
        startPublishing(id)
    }

    /// Answers a request when the kinds of the stream's tracks are known: at once, or at the end of its owner's publish request.
    package mutating func awaitTracks(of stream: StreamID, by owner: ConnectionID, _ request: MediaRequestID) {
        guard members[owner]?.publishing?.plan?.streams.contains(where: { $0.id == stream }) == true else {
            return outputs.append(.done(request, nil))
        }
        members[owner]?.publishing?.watchers.append(request)
    }

    private mutating func startPublishing(_ id: ConnectionID) {
        guard let member = members[id], member.publishing == nil, let next = member.waitingToPublish.first else {
            return
        }
        members[id]?.waitingToPublish.removeFirst()
        members[id]?.publishing = next
        outputs.append(.prepare(next.id, id, next.body.streams))
    }

    /// Takes the plan that `Conference` made for a request.
    package mutating func prepared(
        _ request: MediaRequestID, of id: ConnectionID, _ plan: Result<PublishPlan, SignalingError>, now: MediaTime
    ) {
        guard var publishing = members[id]?.publishing, publishing.id == request else {
            if case .success(let plan) = plan { outputs.append(.cancel(plan)) }
            return
        }
        do throws(MediaRefusal) {
            switch plan {
            case .failure(let error): throw .error(error)
            case .success(let plan): publishing.plan = plan
            }
            try publishing.read()
            members[id]?.publishing = publishing
            limitTime(of: request, id, now: now)
            exchange(id)
        } catch {
            members[id]?.publishing = publishing
            endPublishing(id, error)
        }
    }

    private mutating func exchange(_ id: ConnectionID) {
        guard let publishing = members[id]?.publishing, let peer = publishing.offer?.peer else { return }
        if let publisher = members[id]?.publisher, publisher.peer?.isSameTransport(as: peer) == true {
            let ticket = issue(.updatePublisher(publisher.id, peer, publishing.sections), .updatePublisher(id))
            members[id]?.publishing?.ticket = ticket
        } else {
            openPublisher(id)
        }
    }

    /// Another certificate or other keys belong to another peer connection. The streams continue on it, and events about the end of the
    /// old one no longer concern them.
    private mutating func openPublisher(_ id: ConnectionID) {
        guard let publishing = members[id]?.publishing, let peer = publishing.offer?.peer else { return }
        if let old = members[id]?.publisher?.id {
            members[id]?.publishing?.isAnew = true
            close(old)
        }
        let ticket = issue(.openPublisher(id, peer, publishing.sections), .openPublisher(id))
        members[id]?.publishing?.ticket = ticket
    }

    mutating func updatedPublisher(
        of id: ConnectionID, _ answer: Result<MediaAnswer, MediaFailure>, now: MediaTime
    ) {
        switch answer {
        case .success(.publisher(_, let relay)):
            if let peer = members[id]?.publishing?.offer?.peer { members[id]?.publisher?.peer = peer }
            members[id]?.publishing?.relay = relay
            agreed(id)
        case .success: break
        // The transport has ended; the client gets a new one.
        case .failure(let failure) where failure.kind == .noPeer: openPublisher(id)
        case .failure(let failure): endPublishing(id, .error(failure.error))
        }
    }

    mutating func openedPublisher(
        _ ticket: MediaTicket, of id: ConnectionID, _ answer: Result<MediaAnswer, MediaFailure>, now: MediaTime
    ) {
        switch answer {
        case .success(.publisher(let peer, let relay)):
            guard let publishing = members[id]?.publishing, publishing.ticket == ticket else {
                return discard(peer, isPlain: false)
            }
            peers[peer] = id
            members[id]?.publisher = PublishPeer(id: peer, peer: publishing.offer?.peer)
            members[id]?.hasPublished = true
            members[id]?.publishing?.relay = relay
            if goneEarly.contains(peer) { members[id]?.publishing?.held.append(.gone(peer)) }
            if !relocate(peer, of: id, .publisher(id, peer)) { agreed(id) }
        case .success: break
        case .failure(let failure):
            guard members[id]?.publishing?.ticket == ticket else { return }
            endPublishing(id, .error(failure.error))
        }
    }

    mutating func publisherIsRelocated(_ peer: PeerID, of id: ConnectionID) {
        guard members[id]?.publisher?.id == peer, members[id]?.publishing?.relay != nil else { return }
        agreed(id)
    }

    /// The answer is sent after the mutes are in force, and before the events that the publication causes.
    mutating func agreed(_ id: ConnectionID) {
        guard let publishing = members[id]?.publishing, let plan = publishing.plan else { return }
        members[id]?.publishing?.ticket = nil
        for stream in plan.streams { own(stream.id, by: id, kinds: stream.kinds) }
        outputs.append(.confirm(publishing.id, plan))
    }

    /// Continues after `Conference` has confirmed the plan.
    /// - Parameter ticket: `lastTicket` before its commands.
    package mutating func confirmed(_ request: MediaRequestID, of id: ConnectionID, after ticket: MediaTicket) {
        guard members[id]?.publishing?.id == request else { return }
        wait(.publish(id), of: id, after: ticket)
    }

    mutating func publicationIsMuted(of id: ConnectionID) {
        // The transport of a publisher without a control connection ends with its stream.
        endPublishing(id, members[id]?.publisher == nil ? .ended : nil)
    }

    /// - Parameter refusal: nil: the request succeeded.
    mutating func endPublishing(_ id: ConnectionID, _ refusal: MediaRefusal?) {
        guard let publishing = members[id]?.publishing else { return }
        members[id]?.publishing = nil
        finish(publishing, refusal)
        if let visitor = publishing.visitor {
            if refusal != nil { refuse(visitor, id) } else if visitor.isPlain { announce(visitor, id) }
        } else if refusal != nil, publishing.isAnew {
            // Before the next request, whose streams are not those of the closed peer.
            outputs.append(.handle(.reset(id, publish: true, subscribe: false)))
        }
        for event in publishing.held {
            switch event {
            case .began(let stream, let peer): began(stream, by: peer)
            case .closed(let stream, let peer): closed(stream, by: peer)
            case .gone(let peer): gone(peer)
            }
        }
        startPublishing(id)
    }

    /// Answers a publish request, and everything that waits for its end.
    mutating func finish(_ publishing: Publishing, _ refusal: MediaRefusal?) {
        endTime(of: publishing.id)
        if refusal != nil, let plan = publishing.plan { outputs.append(.cancel(plan)) }
        outputs.append(
            publishing.visitor == nil
                ? .published(publishing.id, publishing.result(refusal)) : .done(publishing.id, refusal))
        for request in publishing.watchers { outputs.append(.done(request, nil)) }
        publicationEnded(publishing.id)
    }
}

extension Publishing {
    /// Reads the offer, and notes its codecs in the plan.
    mutating func read() throws(MediaRefusal) {
        guard var plan else { return }
        guard body.sdp.utf8.count <= SignalingProtocol.maximumSDPBytes else {
            throw .error(
                SignalingError(
                    .invalidSDP, "an offer has at most \(SignalingProtocol.maximumSDPBytes) bytes", field: "sdp"))
        }
        let offer: Offer
        do throws(SDPError) {
            offer = try Offer(parsing: Array(body.sdp.utf8), takesKeys: true)
            sections = try Self.sections(of: plan, among: offer.publishable(videoCodecs))
        } catch {
            throw .description(error)
        }
        for section in sections where section.track.kind == .video {
            guard let i = plan.streams.firstIndex(where: { $0.id == section.stream }) else { continue }
            plan.streams[i].codec = section.track.videoCodec
        }
        guard takesKeys || !offer.peer.isNative else { throw .readableKeys }
        self.plan = plan
        self.offer = offer
    }

    /// Returns the media section of each track in the plan.
    private static func sections(
        of plan: PublishPlan, among tracks: [TrackDescription]
    ) throws(SDPError) -> [PublishSection] {
        var sections: [PublishSection] = []
        for stream in plan.streams {
            for (mid, kind, isMuted) in [
                (stream.audioMid, MediaKind.audio, stream.startsAudioMuted),
                (stream.videoMid, MediaKind.video, stream.startsVideoMuted),
            ] {
                guard let mid else { continue }
                guard let track = tracks.first(where: { $0.mid.rawValue == mid && $0.kind == kind }) else {
                    throw .noTrack(needed: .sendonly)
                }
                // Redundant audio that is encrypted cannot be taken apart for the subscribers that do not take it.
                sections.append(
                    PublishSection(
                        stream: stream.id, track: stream.isEncrypted ? track.withoutRED : track, startsMuted: isMuted,
                        isEncrypted: stream.isEncrypted))
            }
        }
        return sections
    }

    func result(_ refusal: MediaRefusal?) -> Result<PublishRequest.Answer, MediaRefusal> {
        if let refusal { return .failure(refusal) }
        guard let offer, let relay else { return .failure(.error(SignalingError(.internalError))) }
        let tracks = sections.map { AnsweredTrack.receive($0.track) }
        let text = offer.answer(relay, tracks: tracks, keepsOthers: true, videoCodecs).text
        return .success(PublishRequest.Answer(sdp: text, streams: plan?.streams.map(\.id) ?? []))
    }

    /// Adopts the tracks of the transport that the media plane opened for a publisher without a control connection.
    mutating func adopt(_ codec: VideoCodec?, _ kinds: Set<MediaKind>?) {
        guard var stream = plan?.streams.first else { return }
        stream.codec = codec
        if let kinds {
            stream.audioMid = kinds.contains(.audio) ? MediaKind.audio.rawValue : nil
            stream.videoMid = kinds.contains(.video) ? MediaKind.video.rawValue : nil
        }
        plan?.streams[0] = stream
    }
}

extension PublishPlan.Stream {
    var kinds: Set<MediaKind> {
        var kinds: Set<MediaKind> = []
        if audioMid != nil { kinds.insert(.audio) }
        if videoMid != nil { kinds.insert(.video) }
        return kinds
    }

    var startsMuted: Set<TrackKind> {
        Set(TrackKind.allCases.filter { $0 == .audio ? startsAudioMuted : startsVideoMuted })
    }
}
