import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SDP
import Transport
import WebRTCClient
import WebRTCTestKit

/// A participant of a `VirtualSession`: one peer connection on which it publishes all of its streams, and one on which it answers the relay's
/// offers.
final class VirtualParticipant {
    /// A stream that the participant publishes.
    struct Published {
        let name: String
        /// Source number in all media of the stream.
        let source: UInt32
        var audio: Int?
        var video: Int?
        var vp8: SyntheticVideo?
        /// Frames if the relay has answered with H.264.
        var units: SyntheticH264
        /// Frames if the relay has answered with VP9, in three spatial and three temporal layers.
        var layers: SyntheticLayers
        var needsKeyFrame = true
        /// Key frames that the relay has requested.
        var keyFrameRequests = 0
        var audioPackets: UInt32 = 0
    }

    let name: String
    /// Whether it connects and sends no media.
    var isSilent = false
    /// Whether H.264 that it publishes has its parameter sets in the description only.
    var describesParameterSets = false
    /// Spatial layers of VP9 that it publishes which its encoder has stopped. It starts layers again with a key frame, as Chromium does.
    var stopped: Set<Int> = [] {
        didSet {
            for at in published.indices where !oldValue.isSubset(of: stopped) { published[at].needsKeyFrame = true }
        }
    }
    /// Whether H.264 that it publishes says that frames are reordered.
    var reordersFrames = false
    let publishing: WebRTCEndpoint
    private(set) var receiving: WebRTCEndpoint
    private(set) var publisherID: TransportID?
    var subscriberID: TransportID?
    var negotiation: SubscribeNegotiation?
    private(set) var published: [Published] = []
    /// Current subscriptions, and the times at which former ones ended.
    var subscribed: Set<String> = []
    var unsubscribed: [String: MediaTime] = [:]
    /// Stream of each section of the latest offer.
    private var streamOfMID: [MID: String] = [:]
    private(set) var received: [String: ParticipantReception] = [:]
    /// Subsessions of the participant and the times at which it entered them; the last one is the current one.
    private(set) var stays = [(room: MediaEngine.mainSubsession, since: MediaTime.zero)]
    var subsession: String { stays[stays.count - 1].room }
    var movedAt: MediaTime { stays[stays.count - 1].since }
    /// Audio level that the participant reports.
    var level = AudioLevel(level: 30, isVoice: true)
    private(set) var strays: [Stray] = []
    private(set) var publishEnd: TransportEnd?
    private(set) var receiveEnd: TransportEnd?
    unowned let room: VirtualSession
    private let videoCodecs: [VideoCodec]
    private var addresses: [SocketAddress] = []
    private var endpointIDs: [VirtualNetwork.ID] = [0, 0]
    private var nextAudio = MediaTime.never
    private var nextFrame = MediaTime.never

    static let frameInterval = MediaTime.milliseconds(50)

    init(_ name: String, in room: VirtualSession, videoCodecs: [VideoCodec] = [.vp8]) {
        self.name = name
        self.room = room
        self.videoCodecs = videoCodecs
        publishing = room.endpoint(.publish)
        receiving = room.endpoint(.receive, videoCodecs: videoCodecs)
        addresses = [room.call.freeAddress(), room.call.freeAddress()]
        endpointIDs[0] = room.call.network.add(
            VirtualEndpoint(
                receive: { [unowned self] datagram, from, _, now in
                    publishing.receive(datagram, from: PeerAddress(from), now: now)
                    drain()
                }, deadline: { [unowned self] in min(publishing.deadline, nextAudio, nextFrame) },
                handleTimeout: { [unowned self] in publish(now: $0) }), at: [addresses[0]])
        endpointIDs[1] = room.call.network.add(
            VirtualEndpoint(
                receive: { [unowned self] datagram, from, _, now in
                    receiving.receive(datagram, from: PeerAddress(from), now: now)
                    drain()
                }, deadline: { [unowned self] in receiving.deadline },
                handleTimeout: { [unowned self] in
                    receiving.handleTimeout(now: $0)
                    drain()
                }), at: [addresses[1]])
        watch()
    }

    func enter(_ room: String, at now: MediaTime) { stays.append((room, now)) }

    /// Returns the subsessions in which the participant was during a span of time.
    func rooms(from: MediaTime, to: MediaTime) -> Set<String> {
        var rooms: Set<String> = []
        for (number, stay) in stays.enumerated() {
            let end = number + 1 < stays.count ? stays[number + 1].since : .never
            if stay.since <= to, end >= from { rooms.insert(stay.room) }
        }
        return rooms
    }

    // MARK: publishing

    /// Sends an offer with one more stream.
    func publish(
        _ stream: String, source: UInt32, audio: Bool = true, video: [SyntheticVideo.Encoding] = [],
        rids: [RID] = [], temporalLayers: Int = 1, codecs: [VideoCodec] = [.vp8], startsMuted: Set<MediaKind> = []
    ) throws {
        var tracks: [TrackDescription] = []
        if audio { tracks.append(.offered(.audio, encodings: [.init()])) }
        if !video.isEmpty {
            var track = TrackDescription.offered(
                .video, codecs: codecs, encodings: rids.isEmpty ? [.init()] : rids.map { .init(rid: $0) })
            if codecs.contains(.vp9) { track.extensions[.dependencyDescriptor] = 14 }
            tracks.append(track)
        }
        let indices = publishing.addTracks(tracks)
        var made = Published(
            name: stream, source: source,
            units: SyntheticH264(source: source, hasParameterSets: !describesParameterSets),
            layers: SyntheticLayers(id: source, spatialLayers: 3, temporalLayers: 3))
        made.units.reordersFrames = reordersFrames
        if audio { made.audio = indices.first }
        if !video.isEmpty {
            made.video = indices.last
            made.vp8 = SyntheticVideo(
                source: source, encodings: video, framesPerSecond: 20, temporalLayers: temporalLayers)
        }
        published.append(made)
        try negotiatePublishing(startsMuted: startsMuted, of: stream)
    }

    func unpublish(_ stream: String) throws {
        guard let at = published.firstIndex(where: { $0.name == stream }) else { return }
        let gone = published.remove(at: at)
        for index in [gone.audio, gone.video].compactMap(\.self) { publishing.stopTrack(index) }
        try negotiatePublishing()
    }

    /// Sends an offer without the stream's audio, or with it again.
    func setAudio(of stream: String, _ isOn: Bool, startsMuted: Set<MediaKind> = []) throws {
        guard let at = published.firstIndex(where: { $0.name == stream }) else { return }
        if let index = published[at].audio { publishing.stopTrack(index) }
        published[at].audio = isOn ? publishing.addTracks([.offered(.audio, encodings: [.init()])]).first : nil
        try negotiatePublishing(startsMuted: startsMuted, of: stream)
    }

    /// Sends an offer in which the stream's video has other codecs, in the same media section.
    func setCodecs(_ codecs: [VideoCodec], of stream: String) throws {
        guard let track = published.first(where: { $0.name == stream })?.video else { return }
        publishing.setCodecs(codecs, track: track)
        try negotiatePublishing()
    }

    func restartPublishing() throws { try negotiatePublishing(restart: room.call.credentials()) }

    private func negotiatePublishing(
        startsMuted: Set<MediaKind> = [], of stream: String = "", restart: ICECredentials? = nil
    ) throws {
        let description = publishing.reoffer(restart: restart)
        let offer = try Offer(parsing: Array(description.text.utf8), takesKeys: room.isNative)
        let tracks = try offer.publishable()
        let mids = description.media.map(\.mid)
        var sections: [PublishedSection] = []
        for one in published {
            for index in [one.audio, one.video].compactMap(\.self) {
                guard var track = tracks.first(where: { $0.mid.rawValue == mids[index] }) else { continue }
                if describesParameterSets, track.videoCodec == .h264 {
                    track.codecs[0].parameterSets = try H264ParameterSets(SyntheticH264.description)
                }
                sections.append(
                    PublishedSection(
                        stream: one.name, track: track,
                        startsMuted: one.name == stream && startsMuted.contains(track.kind)))
            }
        }
        let answer = try room.call.control { relay in
            if let publisherID {
                return try relay.updatePublisher(
                    publisherID, session: room.session, peer: offer.peer, sections: sections)
            }
            return try relay.openPublisher(
                PublisherRequest(session: room.session, peer: offer.peer, sections: sections))
        }
        publisherID = answer.id
        let own = RelayDescription(
            credentials: answer.credentials, fingerprint: answer.fingerprint,
            cryptos: answer.crypto.map { [$0] } ?? [], setup: answer.setup, candidates: answer.candidates)
        let text = offer.answer(own, tracks: sections.map { .receive($0.track) }, keepsOthers: true).text
        try publishing.accept(Array(text.utf8), now: room.call.now)
        drain()
    }

    private func publish(now: MediaTime) {
        publishing.handleTimeout(now: now)
        if nextAudio <= now {
            nextAudio += room.audioInterval
            for at in published.indices { sendAudio(at, now) }
        }
        if nextFrame <= now {
            nextFrame += Self.frameInterval
            for at in published.indices { sendFrame(at, now) }
        }
        drain()
    }

    private func sendAudio(_ at: Int, _ now: MediaTime) {
        guard let track = published[at].audio else { return }
        let packet = SyntheticAudio(source: published[at].source, number: published[at].audioPackets, captured: now)
        published[at].audioPackets &+= 1
        _ = packet.payload.withUnsafeBytes {
            publishing.send(
                $0, track: track, time: now, marker: false, level: level, now: now)
        }
    }

    private func sendFrame(_ at: Int, _ now: MediaTime) {
        guard let track = published[at].video, publishing.encodingCount(track: track) > 0 else { return }
        if publishing.tracks[track]?.videoCodec == .h264 {
            return published[at].units.nextFrame(captured: now) { payload, isLast in
                publishing.send(payload, track: track, time: now, marker: isLast, now: now)
            }
        }
        if publishing.tracks[track]?.videoCodec == .vp9 {
            let isKey = published[at].needsKeyFrame
            published[at].needsKeyFrame = false
            for packet in published[at].layers.next(isKey: isKey, bytes: 1000, leavingOut: stopped) {
                _ = packet.packet.payload.withUnsafeBytes {
                    publishing.send(
                        $0, track: track, time: now, marker: packet.packet.header.marker,
                        descriptor: packet.descriptor, now: now)
                }
            }
            return
        }
        published[at].vp8?.nextFrame(captured: now) { encoding, payload, isLast in
            publishing.send(payload, track: track, encoding: encoding, time: now, marker: isLast, now: now)
        }
    }

    // MARK: receiving

    /// Answers an offer of the relay.
    func answer(_ offer: SubscribeOffer) throws -> String {
        streamOfMID = [:]
        for stream in offer.streams {
            for mid in [stream.audioMid, stream.videoMid].compactMap(\.self) {
                streamOfMID[MID(mid)!] = stream.id
            }
        }
        let text = try receiving.answer(Array(offer.sdp.utf8), now: room.call.now)
        drain()
        return text
    }

    /// Replaces the lost subscribe peer connection by a new one, from the same address.
    func makeReceivingAnew() {
        receiving = room.endpoint(.receive, videoCodecs: videoCodecs)
        receiveEnd = nil
        streamOfMID = [:]
        received = [:]
        watch()
        room.call.network.wake(endpointIDs[1])
    }

    /// Restarts the reception counters.
    func forgetReceived() { for stream in received.keys { received[stream]?.forget() } }

    private func watch() {
        receiving.onPacket = { [unowned self] packet in take(packet) }
    }

    private func take(_ packet: IncomingPacket) {
        let now = room.call.now
        guard let stream = streamOfMID[packet.mid] else {
            strays.append(Stray(description: "\(now) \(name): section \(packet.mid) carries nothing"))
            return
        }
        var reception = received[stream] ?? ParticipantReception()
        reception.packets += 1
        switch packet.kind {
        case .audio:
            guard let packet = SyntheticAudio(parsing: packet.payload) else {
                strays.append(Stray(description: "\(now) \(name): broken audio packet of \(stream)"))
                break
            }
            judge(stream, packet.source, .audio, packet.captured, now)
            reception.audioPackets += 1
        case .video where receiving.tracks[packet.track]?.codec(under: packet.header.payloadType)?.video == .h264:
            reception.payloadTypes.insert(packet.header.payloadType.rawValue)
            reception.note(unit: packet.payload.first ?? 0, at: packet.header.timestamp)
            // A decoder of VP8 that follows does not wait for the sequence numbers of these packets.
            reception.assembler = ParticipantReception().assembler
            guard packet.header.marker else { break }
            guard let frame = SyntheticH264.Frame(parsing: packet.payload) else {
                strays.append(Stray(description: "\(now) \(name): broken H.264 of \(stream)"))
                break
            }
            judge(stream, frame.source, .video, frame.captured, now)
            reception.frames += 1
        case .video where receiving.tracks[packet.track]?.codec(under: packet.header.payloadType)?.video == .vp9:
            reception.payloadTypes.insert(packet.header.payloadType.rawValue)
            if packet.extensions.dependencyDescriptor.isPresent { reception.descriptors += 1 }
            guard packet.header.marker else { break }
            // The last packet of a frame is one of its highest spatial layer.
            let layer = packet.payload[3] >> 1 & 0x07
            reception.frames += 1
            reception.encoding = layer
            reception.encodings.insert(layer)
        case .video:
            reception.payloadTypes.insert(packet.header.payloadType.rawValue)
            reception.assembler.insert(
                sequence: packet.sequence, timestamp: reception.timestamps.unwrap(packet.header.timestamp),
                marker: packet.header.marker, payload: packet.payload, now: now)
            while let event = reception.assembler.nextEvent() {
                guard case .frame(let frame) = event else {
                    receiving.requestKeyFrame(track: packet.track)
                    continue
                }
                guard let content = SyntheticFrame(parsing: frame.bytes) else {
                    strays.append(Stray(description: "\(now) \(name): broken frame of \(stream)"))
                    continue
                }
                judge(stream, content.source, .video, content.captured, now)
                reception.frames += 1
                reception.encoding = content.encoding
                reception.encodings.insert(content.encoding)
            }
        }
        received[stream] = reception
    }

    /// Records a stray if the participant must not receive that media now.
    private func judge(_ stream: String, _ source: UInt32, _ kind: MediaKind, _ captured: MediaTime, _ now: MediaTime) {
        func stray(_ why: String) {
            strays.append(Stray(description: "\(now) \(name): \(kind) of \(stream), captured \(captured): \(why)"))
        }
        if room.sources[stream] != source { stray("is of source \(source)") }
        let isWanted = subscribed.contains(stream) || unsubscribed[stream].map { now - $0 <= room.flight } ?? false
        if !isWanted { stray("not subscribed to") }
        if room.wasMuted(stream, kind, at: captured) { stray("was muted") }
        if !room.areTogether(self, stream, now) { stray("is elsewhere") }
        if !room.wereTogether(self, stream, captured, now) { stray("was captured elsewhere") }
    }

    // MARK: the network

    /// Sets the conditions of the path from the publish peer connection to the relay.
    func setUplink(_ conditions: LinkConditions) {
        room.call.network.set(conditions, from: addresses[0], to: room.call.address)
    }

    /// Sets the conditions of the path from the relay to the subscribe peer connection.
    func setDownlink(_ conditions: LinkConditions) {
        room.call.network.set(conditions, from: room.call.address, to: addresses[1])
    }

    func drain() {
        while let output = publishing.nextOutput() {
            switch output {
            case .transmit(let bytes, let to): room.call.network.send(bytes, from: addresses[0], to: to.address)
            case .connected where isSilent: break
            case .connected:
                nextAudio = room.call.now
                nextFrame = room.call.now
            case .keyFrameWanted(let track, let encoding):
                for at in published.indices where published[at].video == track {
                    published[at].vp8?.requestKeyFrame(encoding: encoding)
                    published[at].units.requestKeyFrame()
                    published[at].needsKeyFrame = true
                    published[at].keyFrameRequests += 1
                }
            case .ended(let reason): publishEnd = reason
            case .connect, .disconnect, .noPath: break
            }
        }
        while let output = receiving.nextOutput() {
            switch output {
            case .transmit(let bytes, let to): room.call.network.send(bytes, from: addresses[1], to: to.address)
            case .ended(let reason): receiveEnd = reason
            case .connect, .disconnect, .connected, .keyFrameWanted, .noPath: break
            }
        }
        for id in endpointIDs { room.call.network.wake(id) }
    }

    /// Removes the participant from the network without a goodbye.
    func vanish() { for id in endpointIDs { room.call.network.remove(id) } }
}
