import MediaBase
import SFrame
import SRTP
import TestMedia

/// Options of `millrace load` as typed: numbers and text that `validPlan()` converts to a `LoadPlan` or rejects.
package struct LoadOptions: Sendable {
    /// Options that need no conversion.
    package var plan = LoadPlan(target: .embedded)
    package var url: String?
    package var embedded = false
    /// `plain` or `webrtc`; nil: WebRTC if an endpoint is given, else plain.
    package var transport: String?
    /// Templates with `{session}` and `{stream}`.
    package var whip: String?
    package var whep: String?
    /// Participants of a full mesh in each session, instead of publishers and subscribers; nil: no full mesh.
    package var fullMesh: Int?
    /// `WxH@FPS` or `none`.
    package var video = "640x360@30"
    /// kb/s.
    package var videoBitrate: Int?
    /// Seconds.
    package var duration = 10.0
    package var ramp = 1.0
    /// Percent.
    package var loss = 0.0
    /// Name of RFC 4568 or RFC 7714, in any case, or a short name: `cm`, `cm80`, `cm32`, `gcm`.
    package var suite = SRTPSuite.aesCM128HMACSHA1_80.sdesName
    /// Passphrase of the end-to-end encryption, or the 64 hexadecimal digits of its secret; nil: no encryption.
    package var secret: String?

    package init() {}

    /// - Throws: `LoadError.invalidSetting` for an invalid option.
    package func validPlan() throws(LoadError) -> LoadPlan {
        var plan = plan
        plan.target = try target()
        plan.transport = try planTransport()
        if let fullMesh { try plan.makeFullMesh(participants: fullMesh) }
        plan.video = try videoFormat()
        if let videoBitrate {
            try LoadError.check(
                (1...1_000_000).contains(videoBitrate), "video-bitrate", "\(videoBitrate) kb/s is not in 30...50000")
            plan.videoBitrate = .kilobits(Int64(videoBitrate))
        }
        plan.duration = try time("duration", duration)
        plan.ramp = try time("ramp", ramp)
        plan.loss = loss / 100
        plan.suite = try srtpSuite()
        plan.secret = try encryptionSecret()
        try plan.validate()
        return plan
    }

    private func srtpSuite() throws(LoadError) -> SRTPSuite {
        switch suite.lowercased() {
        case "cm", "cm80": return .aesCM128HMACSHA1_80
        case "cm32": return .aesCM128HMACSHA1_32
        case "gcm": return .aeadAES128GCM
        default:
            if let suite = SRTPSuite(sdesName: suite.uppercased()) { return suite }
            let known = SRTPSuite.allCases.map(\.sdesName).joined(separator: ", ")
            throw .invalidSetting("suite", reason: "\"\(suite)\" is not one of \(known)")
        }
    }

    private func videoFormat() throws(LoadError) -> VideoFormat? {
        guard video != "none" else { return nil }
        do { return try VideoFormat(video) } catch { throw .invalidSetting("video", reason: error.description) }
    }

    /// Returns the secret of the run. A passphrase is stretched once for all sessions, because that takes a large part of a second; the
    /// keys of the publishers depend on the session's name all the same.
    private func encryptionSecret() throws(LoadError) -> EncryptionSecret? {
        guard let secret else { return nil }
        if let given = EncryptionSecret(hexadecimal: secret) { return given }
        do { return try EncryptionSecret(passphrase: secret, sessionName: "load-\(plan.seed)") } catch {
            throw .invalidSetting("secret", reason: "needs a passphrase, or 64 hexadecimal digits")
        }
    }

    private func target() throws(LoadError) -> LoadPlan.Target {
        guard !embedded else {
            try LoadError.check(
                url == nil && whip == nil && whep == nil, "url", "--embedded excludes --url, --whip and --whep")
            return .embedded
        }
        if whip != nil || whep != nil {
            return .endpoints(
                whip: try EndpointTemplate.endpoint(.publish, whip, relay: url).text,
                whep: try EndpointTemplate.endpoint(.subscribe, whep, relay: url).text)
        }
        guard let url else {
            throw .invalidSetting(
                "url", reason: "give the relay's address (--url, or --whip and --whep), or use --embedded")
        }
        return .url(url)
    }

    private func planTransport() throws(LoadError) -> LoadPlan.Transport {
        guard let transport else { return whip == nil && whep == nil ? .plain : .webRTC }
        guard let known = LoadPlan.Transport(rawValue: transport.lowercased()) else {
            throw .invalidSetting("transport", reason: "\"\(transport)\" is neither plain nor webrtc")
        }
        return known
    }

    /// Returns seconds as a span. Throws if they are not finite or more than 10^6.
    private func time(_ name: String, _ seconds: Double) throws(LoadError) -> MediaTime {
        try LoadError.check(seconds.isFinite && abs(seconds) <= 1e6, name, "\(seconds) s is not a usable time")
        return .seconds(seconds)
    }
}
