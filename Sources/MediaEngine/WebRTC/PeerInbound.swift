internal import Forwarding
internal import MediaBase
internal import RTP
internal import SDP
internal import SRTP

/// What a connected peer sends: which SSRC belongs to which stream, track and encoding, learnt from its description or from its packets.
final class PeerInbound {
    /// What packets of one SSRC are.
    struct Binding {
        let ssrc: SSRC
        let section: Int
        let encoding: Int
        /// Retransmissions and probes of the encoding (RFC 4588).
        let isRTX: Bool
    }

    struct Section {
        let track: TrackDescription
        let stream: EngineStream
    }

    let transport: PublishTransport
    let session: EngineSession
    private(set) var sections: [Section] = []
    /// One for all sections: a number stands for the same extension throughout a bundle (RFC 8843 section 7.1.2).
    private(set) var extensions = RTPExtensionMap()
    /// Index into `bindings` by SSRC.
    private var table = SSRCTable()
    private(set) var bindings: [Binding] = []
    /// SSRCs of sections that have ended, as many as are kept track of: what still comes of them is of no other section.
    private var ended: Set<SSRC> = []
    /// SSRCs whose encodings have gone over to others since the last offer: what still comes of them is late.
    private var superseded: Set<SSRC> = []
    /// By section and encoding.
    var producers: [[Producer?]] = []
    var feedback: FeedbackMaker
    /// Of a publisher that takes REMB and no transport-wide feedback: what it may send.
    var allowance: UplinkAllowance?
    private let allowed: UplinkAllowance
    private let maximumBindings: Int
    private let maximumEnded: Int

    init(
        transport: PublishTransport, session: EngineSession, maximumBindings: Int, maximumEnded: Int,
        allowed: UplinkAllowance
    ) {
        self.transport = transport
        self.session = session
        self.maximumBindings = maximumBindings
        self.maximumEnded = maximumEnded
        self.allowed = allowed
        feedback = FeedbackMaker(sender: transport.localSSRC, media: transport.localSSRC)
    }

    /// Another set of sections. What was learnt of those that stay is kept.
    /// - Parameter sections: with the place where each stood before; nil for a new one.
    func replace(_ next: [(section: Section, before: Int?)]) {
        let oldProducers = producers
        let oldBindings = bindings
        sections = next.map(\.section)
        producers = next.map { section, before in
            before.map { oldProducers[$0] } ?? section.track.encodings.map { _ in nil }
        }
        for binding in oldBindings { table.remove(binding.ssrc) }
        bindings = []
        superseded = []
        var places: [Int: Int] = [:]
        for (place, entry) in next.enumerated() {
            if let before = entry.before { places[before] = place }
            for (e, encoding) in entry.section.track.encodings.enumerated() {
                if let ssrc = encoding.ssrc { bind(ssrc, section: place, encoding: e, isRTX: false) }
                if let ssrc = encoding.rtxSSRC { bind(ssrc, section: place, encoding: e, isRTX: true) }
            }
        }
        for old in oldBindings {
            if let place = places[old.section] {
                bind(old.ssrc, section: place, encoding: old.encoding, isRTX: old.isRTX)
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

    private func bind(_ ssrc: SSRC, section: Int, encoding: Int, isRTX: Bool) {
        guard bindings.count < maximumBindings, table.insert(ssrc, bindings.count) else { return }
        ended.remove(ssrc)
        bindings.append(Binding(ssrc: ssrc, section: section, encoding: encoding, isRTX: isRTX))
    }

    /// An encoding goes on under another SSRC: what it had before, retransmissions included, is forgotten.
    func supersede(by ssrc: SSRC) {
        guard let new = binding(of: ssrc) else { return }
        let before = bindings
        for binding in before { table.remove(binding.ssrc) }
        bindings = []
        for binding in before {
            if binding.ssrc != ssrc, binding.section == new.section, binding.encoding == new.encoding {
                if superseded.count < maximumEnded { superseded.insert(binding.ssrc) }
            } else {
                bind(binding.ssrc, section: binding.section, encoding: binding.encoding, isRTX: binding.isRTX)
            }
        }
    }

    /// Learns what an SSRC is that no description named, from what the first packets of it say (RFC 8843 section 9.2).
    /// - Returns: nil where they do not say enough, or where there are SSRCs enough.
    func learn(_ header: RTPHeader, _ values: RTPExtensionValues, in packet: UnsafeRawBufferPointer) -> Binding? {
        let mid = values.mid(in: packet)
        guard !superseded.contains(header.ssrc) else { return nil }
        // Its payload type alone does not tell a track from one of the same kind that is no more.
        guard mid != nil || !ended.contains(header.ssrc) && ended.count < maximumEnded else { return nil }
        let matching = sections.indices.filter { s in
            let section = sections[s].track
            let takes = section.payloadType == header.payloadType || section.rtxPayloadType == header.payloadType
            return takes && (mid == nil || section.mid == mid)
        }
        guard matching.count == 1 else { return nil }
        let section = sections[matching[0]].track
        let isRTX = section.rtxPayloadType == header.payloadType
        let rid = isRTX ? values.repairedRID(in: packet) ?? values.rid(in: packet) : values.rid(in: packet)
        let encodings = section.encodings
        let encoding = encodings.count == 1 ? 0 : encodings.firstIndex { $0.rid != nil && $0.rid == rid }
        guard let encoding else { return nil }
        let before = bindings.count
        bind(header.ssrc, section: matching[0], encoding: encoding, isRTX: isRTX)
        return bindings.count > before ? bindings[before] : nil
    }
}
