import MediaBase

extension SessionDescription {
    /// Returns the transport of one section. Attributes that the section lacks are taken from the section whose transport it
    /// shares, or from the session level (RFC 8859 section 4: category TRANSPORT).
    /// - Parameter takesKeys: true to accept keys in the description if there is no fingerprint.
    func peer(of section: MediaSection, takesKeys: Bool = false) throws(SDPError) -> PeerDescription {
        let levels = [section.lines, bundleHead(of: section)?.lines ?? [], lines]
        func find(_ name: String) throws(SDPError) -> SDPLine {
            for level in levels {
                if let line = level.attribute(name) { return line }
            }
            throw section.missing("a=\(name)")
        }
        let ufrag = try find("ice-ufrag")
        let password = try find("ice-pwd")
        guard let credentials = ICECredentials(ufrag: ufrag.value ?? "", password: password.value ?? "") else {
            throw ufrag.error
        }
        // Some clients write the attribute only in the video section.
        let reducedSizeRTCP = media.contains { !$0.isRejected && $0.lines.has("rtcp-rsize") }
        if takesKeys, !levels.contains(where: { $0.has("fingerprint") }),
            let level = levels.first(where: { $0.has("crypto") })
        {
            let cryptos = level.attributes("crypto").prefix(CryptoAttribute.maximumCount).compactMap {
                CryptoAttribute($0.value ?? "")
            }
            guard !cryptos.isEmpty, let line = level.attribute("crypto") else { throw section.missing("a=crypto") }
            guard Set(cryptos.map(\.tag)).count == cryptos.count else { throw line.error }
            return PeerDescription(
                credentials: credentials, isLite: lines.has("ice-lite"), fingerprints: [], cryptos: cryptos,
                setup: .actpass, reducedSizeRTCP: reducedSizeRTCP)
        }
        let first = try find("fingerprint")
        let level = levels.first { $0.has("fingerprint") } ?? []
        let fingerprints = level.attributes("fingerprint").prefix(PeerDescription.maximumFingerprints).compactMap {
            CertificateFingerprint($0.value ?? "")
        }
        guard !fingerprints.isEmpty else { throw first.error }
        let setup = try find("setup")
        guard let role = PeerDescription.Setup(rawValue: setup.value ?? "") else { throw setup.error }
        return PeerDescription(
            credentials: credentials, isLite: lines.has("ice-lite"), fingerprints: fingerprints, setup: role,
            reducedSizeRTCP: reducedSizeRTCP)
    }

    /// Returns the candidates of one section; if it has none, those of its bundle's first section. Candidates that cannot be parsed
    /// are ignored (RFC 8839 section 5.1).
    func candidates(of section: MediaSection) -> [ICECandidate] {
        let own = section.lines.candidates
        return own.isEmpty ? bundleHead(of: section)?.lines.candidates ?? [] : own
    }

    /// Returns the section whose address the whole bundle shares.
    func bundleHead(of section: MediaSection) -> MediaSection? {
        guard let bundle, let mid = section.mid, bundle.contains(mid), let head = bundle.first else { return nil }
        return media.first { $0.mid == head }
    }
}

extension [SDPLine] {
    /// Candidates of the first component, at most `ICECandidate.maximumCount`.
    var candidates: [ICECandidate] {
        var found: [ICECandidate] = []
        for line in self where line.name == "candidate" && found.count < ICECandidate.maximumCount {
            if let value = line.value, let candidate = ICECandidate(value), candidate.component == 1 {
                found.append(candidate)
            }
        }
        return found
    }
}
