import Conference
import Logging
import MediaBase
import MediaEngine
import SDP
import Signaling

extension LiveSession {
    /// Handles an offer of a client's publish peer connection: the first, or one that changes its tracks or restarts ICE.
    func publish(
        _ request: PublishRequest, of client: LiveConnection
    ) async -> Result<PublishRequest.Answer, SignalingError> {
        await inOrder {
            do throws(SignalingError) {
                return .success(try await negotiatePublish(request, client))
            } catch {
                return .failure(error)
            }
        }
    }

    private func negotiatePublish(
        _ request: PublishRequest, _ client: LiveConnection
    ) async throws(SignalingError) -> PublishRequest.Answer {
        let newIDs = request.streams.map { _ in StreamID(rawValue: Secret.id()) }
        var plan = try conference.preparePublish(request.streams, from: client.id, newIDs: newIDs).get()
        let answer: String
        do throws(SignalingError) {
            answer = try await open(request, &plan, client)
        } catch {
            perform(conference.cancelPublish(plan))
            throw error
        }
        for stream in plan.streams {
            kinds[stream.id] = stream.kinds
            owners[stream.id] = client.id
        }
        // The answer is sent after the mutes are in force, and before the events that the publication causes.
        client.isHeld = true
        _ = await outcome(of: begin(conference.confirmPublish(plan)))
        guard clients[client.id] === client else {
            // The client left while the engine was awaited.
            endMedia(of: client)
            throw SignalingError(.notJoined)
        }
        return PublishRequest.Answer(sdp: answer, streams: plan.streams.map(\.id))
    }

    /// Applies the offer in the engine, and notes the codecs in the plan.
    /// - Returns: SDP answer.
    private func open(
        _ request: PublishRequest, _ plan: inout PublishPlan, _ client: LiveConnection
    ) async throws(SignalingError) -> String {
        guard request.sdp.utf8.count <= SignalingProtocol.maximumSDPBytes else {
            throw SignalingError(
                .invalidSDP, "an offer has at most \(SignalingProtocol.maximumSDPBytes) bytes", field: "sdp")
        }
        let offer: Offer
        let sections: [PublishedSection]
        do throws(SDPError) {
            offer = try Offer(parsing: Array(request.sdp.utf8), takesKeys: true)
            sections = try Self.sections(of: plan, among: offer.publishable(environment.configuration.videoCodecs))
        } catch {
            throw SignalingError(Problem(error))
        }
        for section in sections where section.track.kind == .video {
            guard let i = plan.streams.firstIndex(where: { $0.id.rawValue == section.stream }) else { continue }
            plan.streams[i].codec = section.track.videoCodec
        }
        if offer.peer.isNative, client.socket?.isConfidential != true { throw ClientSocket.readable }
        do throws(EngineError) {
            let relay = try await exchange(offer.peer, sections, client)
            return offer.answer(
                relay, tracks: sections.map { .receive($0.track) }, keepsOthers: true,
                environment.configuration.videoCodecs
            ).text
        } catch {
            throw SignalingError(Problem(error))
        }
    }

    private func exchange(
        _ peer: PeerDescription, _ sections: [PublishedSection], _ client: LiveConnection
    ) async throws(EngineError) -> RelayDescription {
        if let publisher = client.publisher, publisher.peer.isSameTransport(as: peer) {
            do throws(EngineError) {
                let answer = try await environment.engine.updatePublisher(
                    publisher.id, session: engineName, peer: peer, sections: sections)
                client.publisher?.peer = peer
                return answer.relay
            } catch {
                // The transport has ended; the client gets a new one.
                guard case .unknownTransport = error else { throw error }
            }
        }
        // Another certificate or other keys belong to another peer connection. The streams continue on it, and engine events about the end
        // of the old one no longer concern them.
        let isAnew = client.publisher != nil
        if let call = closePublisher(of: client) { watch([MediaCall(command: .closeMedia(client.id), call: call)]) }
        let lease: ResourceLease
        let answer: WebRTCAnswer
        do throws(EngineError) {
            lease = try leaseTransport(of: client)
            answer = try await environment.engine.openPublisher(
                PublisherRequest(session: engineName, peer: peer, sections: sections))
        } catch {
            client.isHeld = true
            if isAnew { report(.reset(client.id, publish: true, subscribe: false)) }
            throw error
        }
        client.publisher = PublishPeer(id: answer.id, peer: peer)
        transports.insert(answer.id, owner: client.id, lease: lease)
        logger.info(
            "publisher opened", metadata: ["connection": "\(client.id)", "transport": "\(answer.id)"])
        await place(answer.id, of: client)
        return answer.relay
    }

    /// Counts a transport of a client against its limits.
    ///
    /// - Throws: `limitReached` with the key of the limit.
    func leaseTransport(of client: LiveConnection) throws(EngineError) -> ResourceLease {
        let lease = ResourceLease(.transports, for: client.lease.holder, accounts: environment.resources)
        do throws(ResourceExcess) {
            try lease.set(1)
        } catch {
            throw .limitReached(name: error.key, limit: error.limit)
        }
        return lease
    }

    /// Returns the media section of each track in the plan.
    private static func sections(
        of plan: PublishPlan, among tracks: [TrackDescription]
    ) throws(SDPError) -> [PublishedSection] {
        var sections: [PublishedSection] = []
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
                    PublishedSection(
                        stream: stream.id.rawValue, track: track, startsMuted: isMuted,
                        isEncrypted: stream.isEncrypted))
            }
        }
        return sections
    }

    func closePublisher(of client: LiveConnection) -> EngineCall? {
        guard let publisher = client.publisher else { return nil }
        client.publisher = nil
        transports.remove(publisher.id)
        return environment.engine.beginCloseWebRTC(publisher.id, session: engineName)
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
