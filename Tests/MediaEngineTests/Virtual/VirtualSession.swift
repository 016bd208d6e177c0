import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SDP
import Transport
import WebRTCClient
import WebRTCTestKit

/// A session of participants in virtual time. Messages between the relay's control plane and its clients are delayed, and steps are ordered
/// as in a server that handles one message after the other.
final class VirtualSession {
    let session = "room"
    let call: VirtualCall
    private(set) var participants: [VirtualParticipant] = []
    /// Source number of each stream.
    private(set) var sources: [String: UInt32] = [:]
    /// One-way delay of a message.
    var signalling = MediaTime.milliseconds(15)
    /// Longest delay of a packet after the relay has decided to send it.
    let flight = MediaTime.milliseconds(40)
    let audioInterval: MediaTime
    /// Publisher of each stream.
    private(set) var owners: [String: VirtualParticipant] = [:]
    private var random: SeededGenerator
    private var pending: [(at: MediaTime, body: () throws -> Void)] = []
    private var mutes: [String: [MediaKind: [(from: MediaTime, to: MediaTime)]]] = [:]
    private var nextSource: UInt32 = 1

    /// Keys are in offers and answers, without a DTLS handshake.
    let isNative: Bool

    /// - Parameter call: relay of the session; nil: a new one.
    init(
        seed: UInt64, in call: VirtualCall? = nil, audioInterval: MediaTime = .milliseconds(20), isNative: Bool = false,
        conditions: LinkConditions = LinkConditions(delay: .milliseconds(10)),
        _ change: (inout EngineConfiguration) -> Void = { _ in }
    ) throws {
        self.audioInterval = audioInterval
        self.isNative = isNative
        self.call =
            try call
            ?? VirtualCall(seed: seed, conditions: conditions) {
                // All audio streams are forwarded.
                $0.webRTC.loudestAudio = 0
                change(&$0)
            }
        random = SeededGenerator(seed: seed &+ 77)
    }

    /// Makes a stream known that is published at another relay.
    func expect(_ stream: String, source: UInt32?) { sources[stream] = source }

    func endpoint(_ direction: WebRTCEndpoint.Direction, videoCodecs: [VideoCodec] = [.vp8]) -> WebRTCEndpoint {
        var configuration = WebRTCEndpoint.Configuration(
            direction, tracks: [], identity: VirtualCall.clientIdentity, using: &random)
        configuration.videoCodecs = videoCodecs
        if isNative { configuration.keys = SignalledKeys() }
        return WebRTCEndpoint(configuration, random: SeededGenerator(seed: random.next()))
    }

    func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    /// - Parameter videoCodecs: codecs that the participant accepts.
    func join(_ name: String, videoCodecs: [VideoCodec] = [.vp8]) -> VirtualParticipant {
        let participant = VirtualParticipant(name, in: self, videoCodecs: videoCodecs)
        participants.append(participant)
        return participant
    }

    /// Advances the time; sends offers when they are due, and delivers the answers.
    func run(seconds: Double) throws {
        let end = call.now + .seconds(seconds)
        while call.now < end {
            call.run(seconds: 0.005)
            let due = pending.filter { $0.at <= call.now }
            pending.removeAll { $0.at <= call.now }
            for message in due { try message.body() }
            for participant in participants { offer(to: participant) }
        }
    }

    private func offer(to participant: VirtualParticipant) {
        guard let offer = participant.negotiation?.takeOffer(now: call.now) else { return }
        send { [unowned self] in
            let answer = try participant.answer(offer)
            send { [unowned self] in try take(answer, to: offer, from: participant) }
        }
    }

    private func send(_ body: @escaping () throws -> Void) { pending.append((call.now + signalling, body)) }

    private func take(_ answer: String, to offer: SubscribeOffer, from participant: VirtualParticipant) throws {
        guard let id = participant.subscriberID else { return }
        let agreement: SubscribeAgreement
        do {
            guard let made = try participant.negotiation?.accept(answer, revision: offer.revision, now: call.now)
            else { return }
            agreement = made
        } catch SubscribeNegotiationError.staleOffer {
            return
        }
        try call.control { relay in
            if let peer = agreement.connects { try relay.connectSubscriber(id, session: session, peer: peer) }
            if let credentials = agreement.restarts {
                _ = try relay.restartICE(id, session: session, peer: credentials)
            }
            try relay.removeTracks(id, session: session, mids: agreement.removed)
            try relay.addTracks(id, session: session, agreement.added)
        }
    }

    // MARK: actions of participants

    @discardableResult
    func publish(
        _ stream: String, by participant: VirtualParticipant, audio: Bool = true,
        video: [SyntheticVideo.Encoding] = [.init(width: 320, height: 180, bitrate: .kilobits(100))], rids: [RID] = [],
        temporalLayers: Int = 1, codecs: [VideoCodec] = [.vp8], startsMuted: Set<MediaKind> = []
    ) throws -> String {
        sources[stream] = nextSource
        owners[stream] = participant
        for kind in startsMuted { mutes[stream, default: [:]][kind] = [(.zero, .never)] }
        try participant.publish(
            stream, source: nextSource, audio: audio, video: video, rids: rids, temporalLayers: temporalLayers,
            codecs: codecs, startsMuted: startsMuted)
        nextSource += 1
        return stream
    }

    func subscribe(
        _ participant: VirtualParticipant, to stream: String, kinds: Set<MediaKind> = [.audio, .video],
        preferences: StreamPreferences? = nil
    ) throws {
        let id: TransportID
        if let known = participant.subscriberID {
            id = known
        } else {
            let offer = try call.control { try $0.openSubscriber(session: session, isNative: isNative) }
            id = offer.id
            participant.subscriberID = id
            participant.negotiation = SubscribeNegotiation(
                .init(relay: offer.relay, videoCodecs: offer.videoCodecs), using: &random)
        }
        if let preferences { try prefer(participant, stream, preferences) }
        try participant.negotiation?.subscribe(stream, kinds: kinds, now: call.now)
        participant.subscribed.insert(stream)
    }

    func prefer(_ participant: VirtualParticipant, _ stream: String, _ preferences: StreamPreferences) throws {
        guard let id = participant.subscriberID else { return }
        try call.control { try $0.setPreferences(id, session: session, stream: stream, preferences) }
    }

    func unsubscribe(_ participant: VirtualParticipant, from stream: String) throws {
        guard let id = participant.subscriberID,
            let mids = try participant.negotiation?.unsubscribe(stream, now: call.now)
        else { return }
        try call.control { try $0.removeTracks(id, session: session, mids: mids) }
        participant.subscribed.remove(stream)
        participant.unsubscribed[stream] = call.now
    }

    func mute(_ stream: String, _ kind: MediaKind, _ muted: Bool) throws {
        try call.control { try $0.setMuted(session: session, stream: stream, kind: kind, muted: muted) }
        if muted {
            mutes[stream, default: [:]][kind, default: []].append((call.now, .never))
        } else if let last = mutes[stream]?[kind]?.indices.last {
            mutes[stream]?[kind]?[last].to = call.now
        }
    }

    /// Records that signalling considers the track unmuted, without a call to the engine.
    func noteUnmuted(_ stream: String, _ kind: MediaKind) {
        if let last = mutes[stream]?[kind]?.indices.last { mutes[stream]?[kind]?[last].to = call.now }
    }

    /// Returns whether the relay received the media while the stream was muted: 10 ms after its capture, or later as a retransmission.
    func wasMuted(_ stream: String, _ kind: MediaKind, at captured: MediaTime) -> Bool {
        mutes[stream]?[kind]?.contains { captured > $0.from && captured < $0.to - .milliseconds(12) } ?? false
    }

    /// Replaces the lost subscribe peer connection: offers another one with all subscriptions.
    func resetReceiving(of participant: VirtualParticipant) throws {
        let offer = try call.control { try $0.openSubscriber(session: session, isNative: isNative) }
        participant.subscriberID = offer.id
        participant.negotiation?.reset(relay: offer.relay, now: call.now)
        participant.makeReceivingAnew()
    }

    func restartReceiving(of participant: VirtualParticipant) throws {
        guard let id = participant.subscriberID else { return }
        let credentials = try call.control { try $0.prepareRestart(id, session: session) }
        participant.negotiation?.restart(credentials, now: call.now)
    }
}
