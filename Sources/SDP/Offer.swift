import MediaBase

/// Peer's offer of one WebRTC transport, as in WHIP and WHEP (RFC 9725 section 4.2): BUNDLE, rtcp-mux, ICE and DTLS-SRTP.
package struct Offer: Sendable {
    package let description: SessionDescription
    package let peer: PeerDescription
    /// Candidates in the offer; trickled ones follow later.
    package let candidates: [ICECandidate]
    /// Identifications (mid) of the sections that share the transport.
    let bundle: Set<String>

    /// - Parameters:
    ///   - answererIsLite: true for the relay, which cannot connect to a peer that is ICE-lite as well.
    ///   - takesKeys: true if the description arrived over a connection that may carry keys (RFC 4568 section 7).
    /// - Throws: `SDPError` if the transport is not described, or cannot be connected to.
    package init(_ description: SessionDescription, answererIsLite: Bool = true, takesKeys: Bool = false)
        throws(SDPError)
    {
        try description.checkIdentifications()
        guard !answererIsLite || !description.lines.has("ice-lite") else { throw .bothLite }
        guard let first = description.media.first else { throw .missing(line: 1, field: "m=") }
        let group = description.bundle
        let members = Set(group ?? [])
        let live = description.media.filter { section in
            !section.isRejected && (group == nil || section.mid.map(members.contains) == true)
        }
        let head = live.first { $0.preferredCodec(VideoCodec.allCases) != nil } ?? live.first ?? first
        self.description = description
        peer = try description.peer(of: head, takesKeys: takesKeys)
        candidates = description.candidates(of: head)
        // Without a group each section has its own transport; one of them is used.
        bundle = group == nil ? Set([head.mid].compactMap(\.self)) : members
    }

    package init(parsing bytes: some Collection<UInt8>, takesKeys: Bool = false) throws(SDPError) {
        try self.init(SessionDescription(parsing: bytes), takesKeys: takesKeys)
    }

    /// True if the peer accepts candidates later and may send its own later (RFC 8838 section 3).
    package var canTrickle: Bool { hasICEOption("trickle") }

    func hasICEOption(_ name: String) -> Bool {
        let lines =
            description.lines.attributes("ice-options")
            + description.media.flatMap { $0.lines.attributes("ice-options") }
        // Some clients separate options with commas.
        return lines.contains { ($0.value ?? "").fields().flatMap { $0.fields(",") }.contains { $0 == name } }
    }
}

extension PeerDescription.Setup {
    /// The relay's answer: passive, unless the peer is passive itself (RFC 5763 section 5).
    package var answered: PeerDescription.Setup { self == .passive ? .active : .passive }
}
