import DTLS
import Forwarding
import MediaBase
import SDP
import SRTP
import Transport

/// Publishers and subscribers whose peers have connected.
extension EngineSession {
    /// Initial bit rate allowed to a publisher that supports REMB and no transport-wide feedback.
    private static let uplinkStart = Bitrate.kilobits(1_500)

    /// Makes the streams of a publish peer those of its sections. They are reserved until it has connected.
    func publish(
        _ sections: [PublishedSection], by peer: WebRTCPeer, at realTime: Int64, now: MediaTime,
        _ inbound: inout InboundTable, _ numbers: inout IdentifierSource, besides plain: borrowing PlainIngress,
        _ quiesced: borrowing Quiesced
    ) {
        if let publisher = peer.inbound {
            replace(sections, of: publisher, at: realTime, now: now, &inbound, &numbers, besides: plain, quiesced)
        } else {
            reserved.reserve(sections, instead: peer.published)
        }
        peer.publish(sections)
    }

    /// Adds the publisher or the subscriber of a peer that has connected.
    /// - Parameter key: key of the peer's packets.
    func connect(
        _ peer: WebRTCPeer, _ key: SRTPKey, _ configuration: WebRTCConfiguration, _ egress: Egress, at realTime: Int64,
        now: MediaTime, _ inbound: inout InboundTable, _ numbers: inout IdentifierSource,
        besides plain: borrowing PlainIngress, _ quiesced: borrowing Quiesced
    ) {
        guard let egressContext = peer.egressContext, let address = peer.address else { return }
        switch peer.direction {
        case .publish:
            connect(
                publisher: peer, key, egressContext, configuration, at: realTime, now: now, &inbound, &numbers,
                besides: plain, quiesced)
        case .subscribe:
            connect(
                subscriber: peer, egressContext, at: address, configuration, egress, now: now, &numbers, quiesced)
        }
    }

    /// Adds the publisher of a peer that has connected.
    /// - Parameters:
    ///   - key: key of the peer's packets.
    ///   - egressContext: keys of RTCP to the peer.
    private func connect(
        publisher peer: WebRTCPeer, _ key: SRTPKey, _ egressContext: UnsafeMutablePointer<EgressContext>,
        _ configuration: WebRTCConfiguration, at realTime: Int64, now: MediaTime, _ inbound: inout InboundTable,
        _ numbers: inout IdentifierSource, besides plain: borrowing PlainIngress, _ quiesced: borrowing Quiesced
    ) {
        let publisher = PublishTransport(
            id: peer.id, session: self, subsession: peer.subsession,
            context: IngressContext(key: key, maximumStreams: limits.ssrcsPerConnection), egressContext: egressContext,
            localSSRC: numbers.ssrc(besides: plain), maximumBindings: limits.ssrcsPerTransport,
            maximumEnded: limits.ssrcsPerConnection,
            allowed: UplinkAllowance(
                start: Self.uplinkStart, minimum: configuration.minimumBitrate, maximum: configuration.maximumBitrate),
            now: now)
        peer.begin(publisher, timeout: configuration.pathTimeout, now: now)
        open(publisher, peer.published, at: realTime, now: now, &inbound, &numbers, besides: plain, quiesced)
    }

    /// Adds the subscriber of a peer that has connected, with the tracks that wait for it.
    /// - Parameter egressContext: keys of packets to the peer.
    private func connect(
        subscriber peer: WebRTCPeer, _ egressContext: UnsafeMutablePointer<EgressContext>, at address: PeerAddress,
        _ configuration: WebRTCConfiguration, _ egress: Egress, now: MediaTime, _ numbers: inout IdentifierSource,
        _ quiesced: borrowing Quiesced
    ) {
        let path = router.open(
            EgressPath(
                address: address.address, context: egressContext, tagLength: egressContext.pointee.suite.tagLength,
                lane: .webRTC))
        newPathUntil = now + GatherPolicy.newPathTime
        var estimate = BandwidthEstimator.Configuration()
        estimate.minimum = configuration.minimumBitrate
        estimate.start = configuration.startBitrate
        estimate.maximum = configuration.maximumBitrate
        let subscriber = SubscribeTransport(
            id: peer.id, session: self, subsession: peer.subsession, egressContext: egressContext, path: path,
            at: address,
            estimate: estimate,
            now: now)
        router.path(path).pointee.socket = egress.socket(for: address, .webRTC)
        open(subscriber)
        let waiting = peer.begin(subscriber)
        addTracks(waiting, of: peer, to: subscriber, &numbers, now: now, quiesced)
    }

    /// Adds tracks to a connected subscriber.
    ///
    /// The path is measured from its first video on. Audio alone has no use for an estimate, and its feedback would cost more than the audio:
    /// without transport-wide numbers in its packets the subscriber sends only receiver reports.
    func addTracks(
        _ tracks: [SubscriberTrack], of peer: WebRTCPeer, to subscriber: SubscribeTransport,
        _ numbers: inout IdentifierSource, now: MediaTime, _ quiesced: borrowing Quiesced
    ) {
        let isMeasured = subscriber.hasVideo || tracks.contains { $0.track.kind == .video }
        if isMeasured, !subscriber.hasVideo { measureAudio(of: subscriber, now: now, quiesced) }
        for track in tracks {
            addTrack(
                track, to: subscriber, choice: peer.choice, preferences: peer.preferences[track.stream],
                isMeasured: isMeasured, progress: numbers.progress(), now: now, quiesced)
        }
    }

    /// Sends a subscriber's media to another address.
    /// - Parameter isFirst: nothing was sent to the subscriber before.
    func move(
        _ subscriber: SubscribeTransport, to address: PeerAddress, isFirst: Bool, _ egress: Egress, now: MediaTime,
        _ quiesced: borrowing Quiesced
    ) {
        subscriber.move(to: address, now: now)
        router.path(subscriber.path).pointee.socket = egress.socket(for: address, .webRTC)
        guard !isFirst else { return }
        subscriber.decisions.note(.moved, now: now)
        refresh(subscriber, now: now, quiesced)
    }

    /// Removes what a peer that has ended publishes and receives.
    func disconnect(_ peer: WebRTCPeer, _ inbound: inout InboundTable, _ quiesced: borrowing Quiesced) {
        if peer.inbound == nil { reserved.reserve([], instead: peer.published) }
        if let publisher = peer.inbound { close(publisher, &inbound, quiesced) }
        if let subscriber = peer.outbound { close(subscriber, quiesced) }
    }
}
