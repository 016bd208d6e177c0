/// A peer's offer of one WebRTC transport, as WHIP and WHEP carry it (RFC 9725 section 4.2): BUNDLE, rtcp-mux, ICE and DTLS-SRTP.
package struct Offer: Sendable {
    package let description: SessionDescription
    package let peer: PeerDescription
    /// What came with the offer; trickled ones follow later.
    package let candidates: [ICECandidate]
    /// Identifications of the sections that share the transport.
    let bundle: Set<String>

    /// - Parameters:
    ///   - answererIsLite: true for the relay, which cannot connect to a peer that is ICE-lite as well.
    ///   - takesKeys: the description came by a way that keys may come by (RFC 4568 section 7).
    /// - Throws: `SDPError` where the transport is not described, or is none that can be connected to.
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
        let head = live.first { $0.preferredCodec != nil } ?? live.first ?? first
        self.description = description
        peer = try description.peer(of: head, takesKeys: takesKeys)
        candidates = description.candidates(of: head)
        // Without a group each section has a transport of its own, of which one is used.
        bundle = group == nil ? Set([head.mid].compactMap(\.self)) : members
    }

    package init(parsing bytes: some Collection<UInt8>, takesKeys: Bool = false) throws(SDPError) {
        try self.init(SessionDescription(parsing: bytes), takesKeys: takesKeys)
    }

    /// The peer is ready to be told of candidates later, and may tell of its own so (RFC 8838 section 3).
    package var canTrickle: Bool { hasICEOption("trickle") }

    func hasICEOption(_ name: String) -> Bool {
        let lines =
            description.lines.attributes("ice-options")
            + description.media.flatMap { $0.lines.attributes("ice-options") }
        // Some put commas between them.
        return lines.contains { ($0.value ?? "").fields().flatMap { $0.fields(",") }.contains { $0 == name } }
    }
}

extension PeerDescription.Setup {
    /// What the relay answers: to wait, unless the peer does so itself (RFC 5763 section 5).
    package var answered: PeerDescription.Setup { self == .passive ? .active : .passive }
}
