import Forwarding
import MediaBase
import RTP
import SDP
import SRTP

/// Media that a publisher sends. `context` authenticates and decrypts its packets, `egressContext` holds the keys of reports and requests to
/// it. For a connected peer, the transport maps each SSRC to its stream, track and encoding, by the peer's description or by its packets.
final class PublishTransport {
    /// Evidence for the encoding that an SSRC carries.
    enum Origin {
        /// A description named the SSRC (RFC 5576).
        case signalled
        /// Its packets named the media section or the encoding (RFC 8843 section 9.2, RFC 8852).
        case named
        /// Only the payload type fits. Any packet can have it, so that a guess never replaces an encoding that is being received.
        case guessed
    }

    /// Mapping of one SSRC to an encoding.
    struct Binding {
        let ssrc: SSRC
        let section: Int
        let encoding: Int
        /// Whether packets are retransmissions or probes of the encoding (RFC 4588).
        let isRTX: Bool
        let origin: Origin

        func isSameEncoding(as other: Binding) -> Bool { section == other.section && encoding == other.encoding }
    }

    struct Section {
        let track: TrackDescription
        let stream: EngineStream
    }

    let id: TransportID
    let session: EngineSession
    /// Recent decisions for this publisher, for reports.
    var decisions: DecisionLog
    /// Whether its addresses and keys were fixed by a request, without ICE and DTLS.
    let isPlain: Bool
    /// The tracks that a pipe from another relay receives; nil for publishers of this relay. A pipe is plain, too.
    var reception: PipeReception?
    let rtcpMux: Bool
    let context: IngressContext
    let egressContext: UnsafeMutablePointer<EgressContext>
    /// Subsession of its streams. Plain publishers belong to the main part.
    var subsession: String
    /// Indices into the worker's inbound tracks.
    var tracks: [Int] = []
    var lastAuthentic: MediaTime
    /// Quality of the connection over the last minutes; empty for a plain publisher.
    var quality: QualityTimeline
    /// Counters of all its tracks at the last point of `quality`.
    var noted = TrackCounts()
    /// SSRC of the relay in its own RTCP packets.
    let localSSRC: SSRC
    /// Negotiated sections; none for a plain publisher.
    private(set) var sections: [Section] = []
    /// Extension map of all sections: an extension has the same number throughout a bundle (RFC 8843 section 7.1.2).
    private(set) var extensions = RTPExtensionMap()
    /// Index into `bindings` by SSRC.
    private var table = SSRCTable()
    private(set) var bindings: [Binding] = []
    /// SSRCs of sections that have ended, up to `maximumEnded`. Their late packets must not be attributed to other sections.
    private var ended: Set<SSRC> = []
    /// SSRCs that another SSRC of the same encoding has replaced since the last offer. Their packets are
    /// dropped as late, unless the replacement was a guess.
    private var superseded: [SSRC: Binding] = [:]
    /// Producers by section and encoding; nil before the first packet.
    var producers: [[Producer?]] = []
    var feedback: FeedbackMaker
    /// Bit rate allowed to a publisher that supports REMB and no transport-wide feedback; nil for other publishers.
    var allowance: UplinkAllowance?
    private let allowed: UplinkAllowance?
    private let maximumBindings: Int
    private let maximumEnded: Int

    /// Creates a plain publisher, or the receiving end of a pipe.
    init(
        id: TransportID, session: EngineSession, rtcpMux: Bool, context: IngressContext,
        egressContext: UnsafeMutablePointer<EgressContext>, localSSRC: SSRC, reception: PipeReception? = nil,
        now: MediaTime
    ) {
        self.id = id
        self.reception = reception
        self.session = session
        decisions = DecisionLog(transport: id.rawValue)
        isPlain = true
        self.rtcpMux = rtcpMux
        self.context = context
        self.egressContext = egressContext
        subsession = EngineSubsession.main
        self.localSSRC = localSSRC
        lastAuthentic = now
        quality = QualityTimeline(limit: 0, start: now)
        feedback = FeedbackMaker(sender: localSSRC, media: localSSRC)
        maximumBindings = 0
        maximumEnded = 0
        allowed = nil
    }

    /// Creates the publisher of a connected peer.
    /// - Parameters:
    ///   - subsession: subsession of the peer.
    ///   - maximumBindings: SSRCs that are mapped at a time.
    ///   - maximumEnded: SSRCs of ended sections that are remembered.
    ///   - allowed: initial bit rate of a publisher that supports REMB and no transport-wide feedback.
    init(
        id: TransportID, session: EngineSession, subsession: String, context: IngressContext,
        egressContext: UnsafeMutablePointer<EgressContext>, localSSRC: SSRC, maximumBindings: Int, maximumEnded: Int,
        allowed: UplinkAllowance, now: MediaTime
    ) {
        self.id = id
        self.session = session
        decisions = DecisionLog(session: session.name, transport: id.rawValue)
        isPlain = false
        rtcpMux = true
        self.context = context
        self.egressContext = egressContext
        self.subsession = subsession
        self.localSSRC = localSSRC
        lastAuthentic = now
        quality = QualityTimeline(limit: session.limits.qualityPoints, start: now)
        feedback = FeedbackMaker(sender: localSSRC, media: localSSRC)
        self.maximumBindings = maximumBindings
        self.maximumEnded = maximumEnded
        self.allowed = allowed
    }

    /// Replaces the sections. Bindings of sections that remain are kept.
    /// - Parameter next: the sections, each with its previous index; nil for a new one.
    func replace(_ next: [(section: Section, before: Int?)]) {
        let oldProducers = producers
        let oldBindings = bindings
        sections = next.map(\.section)
        producers = next.map { section, before in
            before.map { oldProducers[$0] } ?? section.track.encodings.map { _ in nil }
        }
        for binding in oldBindings { table.remove(binding.ssrc) }
        bindings = []
        superseded = [:]
        var newIndices: [Int: Int] = [:]
        for (index, entry) in next.enumerated() {
            if let before = entry.before { newIndices[before] = index }
            for (e, encoding) in entry.section.track.encodings.enumerated() {
                if let ssrc = encoding.ssrc { bind(ssrc, section: index, encoding: e, isRTX: false, .signalled) }
                if let ssrc = encoding.rtxSSRC { bind(ssrc, section: index, encoding: e, isRTX: true, .signalled) }
            }
        }
        for old in oldBindings {
            if let index = newIndices[old.section] {
                bind(old.ssrc, section: index, encoding: old.encoding, isRTX: old.isRTX, old.origin)
            } else if table.find(old.ssrc) == nil, ended.count < maximumEnded {
                ended.insert(old.ssrc)
            }
        }
        describe()
    }

    private func describe() {
        extensions = RTPExtensionMap()
        for section in sections {
            for kind in RTPExtensionKind.allCases where section.track.extensions[kind] != nil {
                extensions[kind] = section.track.extensions[kind]
            }
        }
        let takesREMB = sections.contains { $0.track.feedback.contains(.remb) }
        let takesFeedback = sections.contains { $0.track.feedback.contains(.transportCC) }
        allowance = takesREMB && !takesFeedback ? allowance ?? allowed : nil
    }

    @inline(__always)
    func binding(of ssrc: SSRC) -> Binding? { table.find(ssrc).map { bindings[$0] } }

    private func bind(_ binding: Binding) {
        bind(
            binding.ssrc, section: binding.section, encoding: binding.encoding, isRTX: binding.isRTX, binding.origin)
    }

    private func bind(_ ssrc: SSRC, section: Int, encoding: Int, isRTX: Bool, _ origin: Origin) {
        guard bindings.count < maximumBindings, table.insert(ssrc, bindings.count) else { return }
        ended.remove(ssrc)
        bindings.append(Binding(ssrc: ssrc, section: section, encoding: encoding, isRTX: isRTX, origin: origin))
    }

    /// Returns transport-wide feedback that is due. Call this until it returns nil.
    func takeFeedback(now: MediaTime) -> [UInt8]? {
        guard let taken = feedback.take(now: now) else { return nil }
        var bytes: [UInt8] = []
        taken.write(into: &bytes)
        return bytes
    }

    /// Whether a packet of any encoding has arrived.
    var hasMedia: Bool { producers.contains { $0.contains { $0 != nil } } }

    /// Name of this transport in its streams.
    var source: StreamSource { isPipe ? .pipe(id) : isPlain ? .plain(id) : .peer(id) }

    /// Whether it is the receiving end of a pipe.
    var isPipe: Bool { reception != nil }

    /// Returns whether another SSRC has replaced this one.
    func isSuperseded(_ ssrc: SSRC) -> Bool { superseded[ssrc] != nil }

    /// Returns whether a signalled SSRC takes an encoding back from the SSRC that feeds it: at once
    /// from a guess, otherwise when that SSRC has stopped.
    func takesBack(_ binding: Binding, from producer: Producer, now: MediaTime) -> Bool {
        guard binding.origin == .signalled else { return false }
        let current = self.binding(of: producer.configuration.ssrc)?.origin ?? .guessed
        return current == .guessed || !producer.isActive(now: now)
    }

    /// Continues an encoding under another SSRC. Packets of its earlier SSRCs, retransmissions included, count as late from now on.
    /// - Parameter isReturn: the SSRC was signalled for the encoding, or fed it before a guess did. Its
    ///   retransmission SSRCs stay bound or are bound again.
    func supersede(by ssrc: SSRC, isReturn: Bool = false) {
        guard let new = binding(of: ssrc) else { return }
        let before = bindings
        for binding in before { table.remove(binding.ssrc) }
        bindings = []
        for binding in before {
            let isKept = binding.ssrc == ssrc || isReturn && binding.isRTX && binding.origin != .guessed
            if !isKept, binding.isSameEncoding(as: new) {
                if superseded.count < maximumEnded { superseded[binding.ssrc] = binding }
            } else {
                bind(binding)
            }
        }
        superseded[ssrc] = nil
        guard isReturn else { return }
        for binding in superseded.values where binding.isSameEncoding(as: new) && binding.isRTX {
            superseded[binding.ssrc] = nil
            // SSRCs bound by identifiers in their packets are bound again by their next packets.
            if binding.origin == .signalled { bind(binding) }
        }
    }

    /// Binds an SSRC that no description named, by the identifiers in its first packets (RFC 8843 section 9.2).
    /// An SSRC that a guess replaced takes its encoding back.
    /// - Returns: nil if the identifiers are insufficient, if the SSRC would be a guess for an encoding that another SSRC sends, or if
    ///   the maximum number of SSRCs is reached.
    func learn(
        _ header: RTPHeader, _ values: RTPExtensionValues, in packet: UnsafeRawBufferPointer, now: MediaTime
    ) -> Binding? {
        let mid = values.mid(in: packet)
        if let before = superseded[header.ssrc], before.origin != .guessed {
            let current = producers[before.section][before.encoding].flatMap { binding(of: $0.configuration.ssrc) }
            guard !before.isRTX, current?.origin == .guessed else { return nil }
            bind(before)
            return binding(of: header.ssrc)
        }
        // The payload type alone does not distinguish a track from an ended track of the same kind.
        guard mid != nil || !ended.contains(header.ssrc) && ended.count < maximumEnded else { return nil }
        let matching = sections.indices.filter { s in
            let section = sections[s].track
            let takes =
                section.payloadType == header.payloadType || section.rtxPayloadType == header.payloadType
                || section.redPayloadType == header.payloadType
            return takes && (mid == nil || section.mid == mid)
        }
        guard matching.count == 1 else { return nil }
        let section = sections[matching[0]].track
        let isRTX = section.rtxPayloadType == header.payloadType
        let rid = isRTX ? values.repairedRID(in: packet) ?? values.rid(in: packet) : values.rid(in: packet)
        let encodings = section.encodings
        let encoding = encodings.count == 1 ? 0 : encodings.firstIndex { $0.rid != nil && $0.rid == rid }
        guard let encoding else { return nil }
        let origin: Origin = mid != nil || encodings.count > 1 ? .named : .guessed
        if origin == .guessed, !isRTX, producers[matching[0]][encoding]?.isActive(now: now) == true { return nil }
        let before = bindings.count
        bind(header.ssrc, section: matching[0], encoding: encoding, isRTX: isRTX, origin)
        return bindings.count > before ? bindings[before] : nil
    }
}
