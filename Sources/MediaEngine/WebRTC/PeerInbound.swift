internal import Forwarding
internal import MediaBase
internal import RTP
internal import SDP
internal import SRTP

/// What a connected peer sends: which SSRC belongs to which track and encoding, learnt from its description or from its packets.
final class PeerInbound {
    /// What packets of one SSRC are.
    struct Binding {
        let section: Int
        let encoding: Int
        /// Retransmissions and probes of the encoding (RFC 4588).
        let isRTX: Bool
    }

    let transport: PublishTransport
    let stream: EngineStream
    let session: EngineSession
    let sections: [TrackDescription]
    /// One for all sections: a number stands for the same extension throughout a bundle (RFC 8843 section 7.1.2).
    let extensions: RTPExtensionMap
    /// Index into `bindings` by SSRC.
    private var table = SSRCTable()
    private(set) var bindings: [Binding] = []
    /// By section and encoding.
    var producers: [[Producer?]]
    var feedback: FeedbackMaker
    /// Of a publisher that takes REMB and no transport-wide feedback: what it may send.
    var allowance: UplinkAllowance?
    private let maximumBindings: Int

    init(
        transport: PublishTransport, stream: EngineStream, session: EngineSession, sections: [TrackDescription],
        maximumBindings: Int, allowed: UplinkAllowance
    ) {
        self.transport = transport
        self.stream = stream
        self.session = session
        self.sections = sections
        self.maximumBindings = maximumBindings
        feedback = FeedbackMaker(sender: transport.localSSRC, media: transport.localSSRC)
        var extensions = RTPExtensionMap()
        for section in sections {
            for kind in RTPExtensionKind.allCases where section.extensions[kind] != nil {
                extensions[kind] = section.extensions[kind]
            }
        }
        self.extensions = extensions
        let takesREMB = sections.contains { $0.feedback.contains(.remb) }
        let takesFeedback = sections.contains { $0.feedback.contains(.transportCC) }
        allowance = takesREMB && !takesFeedback ? allowed : nil
        producers = sections.map { $0.encodings.map { _ in nil } }
        for (s, section) in sections.enumerated() {
            for (e, encoding) in section.encodings.enumerated() {
                if let ssrc = encoding.ssrc { bind(ssrc, Binding(section: s, encoding: e, isRTX: false)) }
                if let ssrc = encoding.rtxSSRC { bind(ssrc, Binding(section: s, encoding: e, isRTX: true)) }
            }
        }
    }

    @inline(__always)
    func binding(of ssrc: SSRC) -> Binding? { table.find(ssrc).map { bindings[$0] } }

    private func bind(_ ssrc: SSRC, _ binding: Binding) {
        guard bindings.count < maximumBindings, table.insert(ssrc, bindings.count) else { return }
        bindings.append(binding)
    }

    /// Learns what an SSRC is that no description named, from what the first packets of it say (RFC 8843 section 9.2).
    /// - Returns: nil where they do not say enough, or where there are SSRCs enough.
    func learn(_ header: RTPHeader, _ values: RTPExtensionValues, in packet: UnsafeRawBufferPointer) -> Binding? {
        let mid = values.mid(in: packet)
        let matching = sections.indices.filter { s in
            let section = sections[s]
            let takes = section.payloadType == header.payloadType || section.rtxPayloadType == header.payloadType
            return takes && (mid == nil || section.mid == mid)
        }
        guard matching.count == 1 else { return nil }
        let section = matching[0]
        let isRTX = sections[section].rtxPayloadType == header.payloadType
        let rid = isRTX ? values.repairedRID(in: packet) ?? values.rid(in: packet) : values.rid(in: packet)
        let encodings = sections[section].encodings
        let encoding = encodings.count == 1 ? 0 : encodings.firstIndex { $0.rid != nil && $0.rid == rid }
        guard let encoding else { return nil }
        let binding = Binding(section: section, encoding: encoding, isRTX: isRTX)
        let before = bindings.count
        bind(header.ssrc, binding)
        return bindings.count > before ? binding : nil
    }
}
