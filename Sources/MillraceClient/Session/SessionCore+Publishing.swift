import MediaBase
import Signaling

extension SessionCore {
    func publish(_ publisher: Publisher) async throws(SessionError) -> StreamID {
        guard let thread, machine.status == .connected else { throw SessionError(.notConnected) }
        guard machine.model.capabilities?.canPublish == true else { throw SessionError(.notPermitted) }
        guard publisher.settings.audio != nil || publisher.settings.video != nil else {
            throw SessionError(.invalidField, "a publisher needs audio, video or both", field: "settings")
        }
        if let objection = NameRule.objection(to: publisher.settings.name) {
            throw SessionError(.invalidStreamName, objection, field: "name")
        }
        guard !publications.contains(where: { $0.publisher === publisher }) else { throw SessionError(.streamExists) }
        let type = publisher.settings.videoType
        guard !publications.contains(where: { $0.publisher.settings.videoType == type }) else {
            throw SessionError(.streamExists, "a connection publishes one \(type.rawValue) stream")
        }
        let requiresEncryption = options.requiresEncryption || machine.model.requiresEncryption
        guard isEncrypting || !requiresEncryption else {
            throw SessionError(.encryptionRequired, "call setEncryptionSecret first, or join with agreesOnKeys")
        }
        if let video = publisher.settings.video { try check(video, isEncrypted: isEncrypting) }
        publications.append(Publication(publisher: publisher))
        publisher.setEncrypted(isEncrypting)
        for kind in options.startsMuted(type) { publisher.setLocallyMuted(kind, true) }
        if options.audio.isMusic { publisher.encodeMusic() }
        publisher.attach(to: self, thread: thread)
        showPublishers()
        do throws(SessionError) {
            try await negotiatePublish()
        } catch {
            forget(publisher)
            publisher.hub.send(.failed(error))
            throw error
        }
        guard let stream = publications.first(where: { $0.publisher === publisher })?.stream else {
            throw SessionError(.notConnected)
        }
        return stream
    }

    /// Checks the codec of a stream before it is published.
    private func check(_ video: PublisherSettings.Video, isEncrypted: Bool) throws(SessionError) {
        guard machine.model.videoCodecs.contains(video.codec.rawValue) else {
            let codecs = machine.model.videoCodecs.joined(separator: ", ")
            throw SessionError(
                .codecMismatch, "the relay forwards no \(video.codec.rawValue), but \(codecs)", field: "codec")
        }
        guard !isEncrypted || video.codec == .vp8 else {
            throw SessionError(
                .codecMismatch, "video that is encrypted end to end is VP8, not \(video.codec.rawValue)",
                field: "codec")
        }
        guard !video.simulcast || video.codec == .vp8 || video.codec == .h264 else {
            throw SessionError(
                .invalidField, "simulcast is VP8 or H.264, not \(video.codec.rawValue)", field: "simulcast")
        }
    }

    func unpublish(_ publisher: Publisher) async throws(SessionError) {
        guard let publication = publications.first(where: { $0.publisher === publisher }) else {
            throw SessionError(.unknownStream)
        }
        // The relay's event reports the end of the stream, if one arrives; the next offer removes the sections of the
        // stream.
        if let stream = publication.stream { try await request(UnpublishRequest(stream: stream)) }
        guard publications.contains(where: { $0.publisher === publisher }) else { return }
        forget(publisher)
        if let stream = publication.stream { publisher.hub.send(.destroyed(stream, .unpublished)) }
        await dropSections()
    }

    /// Sends `created` to the publisher of a stream that all users now see.
    func announce(_ stream: StreamID) {
        guard let publisher = publications.first(where: { $0.stream == stream })?.publisher,
            publisher.announce(), machine.model.streams[stream] != nil
        else { return }
        publisher.hub.send(.created(stream))
    }

    func showPublishers() {
        let publishers = publications.map(\.publisher)
        board.update { $0.publishers = publishers }
    }

    private func forget(_ publisher: Publisher) {
        publications.removeAll { $0.publisher === publisher }
        publisher.detach()
        showPublishers()
    }

    /// Mutes the publisher of a stream that begins muted: it was muted at a relay from which another one has taken the session over.
    func followBeginning(of stream: StreamInfo) {
        guard let publisher = publications.first(where: { $0.stream == stream.id })?.publisher else { return }
        // Streams that begin muted by the join options are unmuted again after a reconnection.
        let expected = options.startsMuted(publisher.settings.videoType)
        if stream.isAudioMuted, !expected.contains(.audio) { publisher.setLocallyMuted(.audio, true) }
        if stream.isVideoMuted, !expected.contains(.video) { publisher.setLocallyMuted(.video, true) }
    }

    /// Mutes publishers whose streams were muted by a moderator while events were missed.
    func followMutes() {
        for publication in publications {
            guard let stream = publication.stream, let info = machine.model.streams[stream] else { continue }
            let publisher = publication.publisher
            for (kind, isMuted) in [
                (TrackKind.audio, info.isAudioMuted && !publisher.isAudioMuted),
                (.video, info.isVideoMuted && !publisher.isVideoMuted),
            ] where isMuted {
                publisher.forceMute(kind)
                board.send(.streamMuteForced(stream, kind))
            }
        }
    }

    /// Publishes all streams again over a new peer connection, because the relay no longer knows the streams and the old
    /// one.
    func republish() {
        thread?.submit { connections in
            connections.publishing?.close(now: ClientClock.now)
            connections.publishing = nil
        }
        guard !publications.isEmpty else { return }
        for index in publications.indices {
            publications[index].stream = nil
            publications[index].publisher.setStream(nil)
        }
        guard !isRepublishing else { return }
        isRepublishing = true
        Task { await negotiateAgain() }
    }

    private func negotiateAgain() async {
        do throws(SessionError) {
            isRepublishing = false
            guard let thread else { return }
            for publication in publications { publication.publisher.attach(to: self, thread: thread) }
            try await negotiatePublish()
            await unmuteAgain()
        } catch {
            // The connection was lost during the negotiation: the next resume or join tries again.
            guard error.code != .notConnected else { return }
            for publication in publications where publication.stream == nil {
                publication.publisher.hub.send(.failed(error))
                forget(publication.publisher)
            }
        }
    }

    /// Unmutes streams again that were unmuted since the join: the relay has restarted them with the mute state of the join
    /// options.
    private func unmuteAgain() async {
        for publication in publications {
            let (publisher, stream) = (publication.publisher, publication.stream)
            guard let stream else { continue }
            for kind in options.startsMuted(publisher.settings.videoType)
            where !(kind == .audio ? publisher.isAudioMuted : publisher.isVideoMuted) {
                _ = try? await request(SetMutedRequest(stream: stream, kind: kind, isMuted: false))
            }
        }
    }

    /// Handles a publish peer connection whose path is silent, ended, missing or restored.
    func publishPath(is trouble: PathTrouble) async {
        switch trouble {
        case .silent:
            guard machine.status == .connected else { return }
            try? await negotiatePublish(restartsICE: true)
        case .ended:
            try? await Task.sleep(for: Self.patience)
            let isEnded = await thread?.call { $0.publishing?.isEnded } ?? nil
            guard isEnded == true, machine.status == .connected else { return }
            // Another peer connection has new streams, so those of the old one have ended.
            for publication in publications {
                if let stream = publication.stream { publication.publisher.hub.send(.destroyed(stream, .reset)) }
            }
            republish()
        case .missing(let report): noPath(report, .publish)
        case .mended: pathFound(.publish)
        }
    }

    /// Sends an offer with all current publications to the relay and applies its answer. Only one negotiation runs at a
    /// time.
    private func negotiatePublish(restartsICE: Bool = false) async throws(SessionError) {
        await publishTurn.enter()
        do throws(SessionError) { try await negotiate(restartsICE: restartsICE) } catch {
            await publishTurn.leave()
            throw error
        }
        await publishTurn.leave()
    }

    private func negotiate(restartsICE: Bool) async throws(SessionError) {
        guard let thread else { throw SessionError(.notConnected) }
        let wanted = publications
        guard !wanted.isEmpty else { return }
        let sources = wanted.map(\.publisher)
        let troubled: @Sendable (PathTrouble) -> Void = { [weak self] trouble in
            guard let self else { return }
            Task { await self.publishPath(is: trouble) }
        }
        let transport = try mediaTransport()
        let made = await thread.call { connections in
            connections.offerPublish(
                sources, by: transport, restartsICE: restartsICE, now: ClientClock.now, troubled: troubled)
        }
        guard let made else { throw SessionError(.notConnected) }
        let offer = try made.get()
        updateFrameKeys()
        let streams = wanted.map { publication in
            let (settings, sections) = (publication.publisher.settings, offer.sections[publication.publisher.key])
            let size = publication.publisher.size
            return PublishRequest.Stream(
                id: publication.stream, name: settings.name, videoType: settings.videoType,
                audioMid: sections?.audio, videoMid: sections?.video,
                width: settings.video == nil ? nil : size.width, height: settings.video == nil ? nil : size.height,
                isEncrypted: publication.publisher.encryption.isEncrypted ? true : nil)
        }
        let answer = try await request(PublishRequest(sdp: offer.sdp, streams: streams))
        for (publication, stream) in zip(wanted, answer.streams) {
            guard let index = publications.firstIndex(where: { $0.publisher === publication.publisher }) else {
                continue
            }
            publications[index].stream = stream
            publication.publisher.setStream(stream)
            if machine.model.streams[stream] != nil { announce(stream) }
        }
        let taken = await thread.call { connections in connections.acceptPublish(answer.sdp, now: ClientClock.now) }
        guard let taken else { throw SessionError(.notConnected) }
        try taken.get()
    }

    /// Removes the sections of an ended stream from the peer connection.
    func dropSections() async {
        guard !publications.isEmpty else {
            pathless.remove(.publish)
            thread?.submit { connections in
                connections.publishing?.close(now: ClientClock.now)
                connections.publishing = nil
            }
            return
        }
        try? await negotiatePublish()
    }
}
