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
        _ request: MediaRequestID, of id: ConnectionID, _ plan: Result<PublishPlan, SignalingError>
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
            exchange(id)
        } catch {
            members[id]?.publishing = publishing
            endPublishing(id, .failure(error))
        }
    }

    private mutating func exchange(_ id: ConnectionID) {
        guard let publishing = members[id]?.publishing, let peer = publishing.offer?.peer else { return }
        if let publisher = members[id]?.publisher, publisher.peer.isSameTransport(as: peer) {
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
            agreed(id, relay)
        case .success: break
        // The transport has ended; the client gets a new one.
        case .failure(let failure) where failure.kind == .noPeer: openPublisher(id)
        case .failure(let failure): endPublishing(id, .failure(.error(failure.error)))
        }
    }

    mutating func openedPublisher(
        _ ticket: MediaTicket, of id: ConnectionID, _ answer: Result<MediaAnswer, MediaFailure>, now: MediaTime
    ) {
        switch answer {
        case .success(.publisher(let peer, let relay)):
            guard admit(peer, of: id), let description = members[id]?.publishing?.offer?.peer else { return }
            members[id]?.publisher = PublishPeer(id: peer, peer: description)
            members[id]?.hasPublished = true
            members[id]?.publishing?.relay = relay
            if goneEarly.contains(peer) { members[id]?.publishing?.held.append(.gone(peer)) }
            if !place(peer, of: id, .publisher(id, peer)) { agreed(id, relay) }
        case .success: break
        case .failure(let failure):
            guard let publishing = members[id]?.publishing, publishing.ticket == ticket else { return }
            endPublishing(id, .failure(.error(failure.error)))
        }
    }

    mutating func publisherIsPlaced(_ peer: PeerID, of id: ConnectionID) {
        guard members[id]?.publisher?.id == peer, let relay = members[id]?.publishing?.relay else { return }
        agreed(id, relay)
    }

    /// The answer is sent after the mutes are in force, and before the events that the publication causes.
    private mutating func agreed(_ id: ConnectionID, _ relay: RelayDescription) {
        guard let publishing = members[id]?.publishing, let plan = publishing.plan else { return }
        members[id]?.publishing?.relay = relay
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
        guard let publishing = members[id]?.publishing, let relay = publishing.relay else { return }
        endPublishing(id, .success(publishing.answer(relay)))
    }

    private mutating func endPublishing(_ id: ConnectionID, _ result: Result<PublishRequest.Answer, MediaRefusal>) {
        guard let publishing = members[id]?.publishing else { return }
        members[id]?.publishing = nil
        if case .failure = result, let plan = publishing.plan { outputs.append(.cancel(plan)) }
        outputs.append(.published(publishing.id, result))
        for request in publishing.watchers { outputs.append(.done(request, nil)) }
        publicationEnded(publishing.id)
        // Before the next request, whose streams are not those of the closed peer.
        if case .failure = result, publishing.isAnew {
            outputs.append(.report(.reset(id, publish: true, subscribe: false)))
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
                sections.append(
                    PublishSection(
                        stream: stream.id, track: track, startsMuted: isMuted, isEncrypted: stream.isEncrypted))
            }
        }
        return sections
    }

    func answer(_ relay: RelayDescription) -> PublishRequest.Answer {
        let tracks = sections.map { AnsweredTrack.receive($0.track) }
        let text = offer?.answer(relay, tracks: tracks, keepsOthers: true, videoCodecs).text
        return PublishRequest.Answer(sdp: text ?? "", streams: plan?.streams.map(\.id) ?? [])
    }
}

extension PublishPlan.Stream {
    var kinds: Set<MediaKind> {
        var kinds: Set<MediaKind> = []
        if audioMid != nil { kinds.insert(.audio) }
        if videoMid != nil { kinds.insert(.video) }
        return kinds
    }
}
