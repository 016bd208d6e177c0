package import MediaBase
package import SFrame
package import SRTP
package import TestMedia

/// Settings of a load run: the options of `millrace load` as values.
package struct LoadPlan: Sendable {
    package enum Target: Sendable, Equatable {
        /// HTTP address of a running relay, e.g. `http://127.0.0.1:7880`.
        case url(String)
        /// A relay inside this process.
        case embedded
        /// WHIP and WHEP endpoints of any relay, as templates.
        case endpoints(whip: String, whep: String)
    }

    package enum Transport: String, Sendable, CaseIterable {
        /// SRTP with keys from the relay's endpoint for plain transports.
        case plain
        /// ICE and DTLS-SRTP, negotiated by WHIP and WHEP.
        case webRTC = "webrtc"
    }

    package var target: Target
    package var transport = Transport.plain
    package var sessions = 1
    /// Publishers in each session.
    package var publishers = 1
    /// Subscribers in each session; subscriber i receives the stream of publisher i modulo `publishers`.
    package var subscribers = 10
    /// True if the publishers of a session are its participants, and each subscribes to the streams of all others.
    package private(set) var isFullMesh = false
    /// Nil: no video.
    package var video: VideoFormat?
    /// Nil: the default of the format.
    package var videoBitrate: Bitrate?
    /// True for one encoder per publisher instead of one for all.
    package var distinctVideo = false
    /// True if publishers send the video in several sizes (WebRTC only).
    package var simulcast = false
    package var audio = true
    /// Measured time, after the ramp.
    package var duration: MediaTime = .seconds(10)
    /// Time over which the subscribers join.
    package var ramp: MediaTime = .seconds(1)
    /// Subscribers that leave and are replaced each second.
    package var churn = 0.0
    /// Fraction of packets dropped on purpose, 0...1, of those that publishers send and of those that subscribers receive.
    package var loss = 0.0
    package var seed: UInt64 = 1
    package var suite: SRTPSuite = .aesCM128HMACSHA1_80
    /// Secret of the end-to-end encryption of all frames; nil: no encryption.
    package var secret: EncryptionSecret?
    /// Subscribers whose media is decrypted and decoded.
    package var decodeSample = 2
    /// Numeric address on which subscribers receive.
    package var localAddress = "127.0.0.1"
    package var thresholds = LoadThresholds()

    package init(target: Target) { self.target = target }

    /// - Parameter participants: number in each session, 2...100.
    package mutating func makeFullMesh(participants: Int) throws(LoadError) {
        try LoadError.check(
            (2...100).contains(participants), "participants",
            "\(participants) is not in 2...100, the range for a full mesh")
        isFullMesh = true
        publishers = participants
        subscribers = participants * (participants - 1)
    }

    /// - Throws: `LoadError.invalidSetting` for the first invalid setting.
    package func validate() throws(LoadError) {
        try LoadError.check((1...1_000).contains(sessions), "sessions", "\(sessions) is not in 1...1000")
        try LoadError.check((1...1_000).contains(publishers), "publishers", "\(publishers) is not in 1...1000")
        try LoadError.check((0...10_000).contains(subscribers), "subscribers", "\(subscribers) is not in 0...10000")
        try LoadError.check(
            sessions * (publishers + subscribers) <= 20_000, "subscribers",
            "\(sessions * (publishers + subscribers)) participants in all are more than 20000")
        try LoadError.check(video != nil || audio, "video", "both video and audio are off")
        if let videoBitrate {
            try LoadError.check(
                (30_000...50_000_000).contains(videoBitrate.rawValue), "video-bitrate",
                "\(videoBitrate) is not in 30 kb/s...50 Mb/s")
        }
        try LoadError.check(
            duration >= .seconds(1) && duration <= .seconds(86_400), "duration", "\(duration) is not in 1...86400 s")
        try LoadError.check(ramp >= .zero && ramp <= .seconds(3_600), "ramp", "\(ramp) is not in 0...3600 s")
        try LoadError.check(churn >= 0 && churn <= 1_000, "churn", "\(churn) is not in 0...1000 a second")
        try LoadError.check(loss >= 0 && loss < 1, "loss", "\(loss * 100) % is not in 0..<100")
        try LoadError.check((0...64).contains(decodeSample), "decode-sample", "\(decodeSample) is not in 0...64")
        try LoadError.check(
            SocketAddress(localAddress, port: 0) != nil, "address", "\"\(localAddress)\" is not a numeric address")
        try validateTransport()
        try thresholds.validate(plan: self)
    }

    private func validateTransport() throws(LoadError) {
        switch transport {
        case .plain:
            try LoadError.check(
                !simulcast, "simulcast",
                "simulcast needs WebRTC (--transport webrtc); plain transports do not support it")
            if case .endpoints = target {
                throw .invalidSetting("transport", reason: "WHIP and WHEP use WebRTC, not plain SRTP")
            }
        case .webRTC:
            try LoadError.check(
                suite != .aesCM128HMACSHA1_32, "suite",
                "WebRTC does not support \(suite.sdesName) (RFC 8827 section 6.5)")
            guard simulcast else { return }
            guard let video else { throw .invalidSetting("simulcast", reason: "there is no video") }
            try LoadError.check(
                video.simulcast.count > 1, "simulcast", "\(video) has no smaller size that the frame bar fits into")
        }
    }

    package var totalPublishers: Int { sessions * publishers }
    package var totalSubscribers: Int { sessions * subscribers }

    /// Returns the publisher whose stream subscription `index` receives, as an index over all sessions. An index past
    /// `totalSubscribers`, of a subscription that replaces another, gives the same publisher as the index that it replaces.
    package func publisher(ofSubscription index: Int) -> Int {
        let (session, position) = (index % sessions, index / sessions)
        guard isFullMesh else { return session * publishers + position % publishers }
        let others = publishers - 1
        let (participant, other) = (position / others % publishers, position % others)
        return session * publishers + (other < participant ? other : other + 1)
    }

    /// Returns the name of session `index`.
    package func sessionName(_ index: Int) -> String { "load-\(seed)-\(index)" }
    /// Returns the session and the stream of a publisher, whose index counts over all sessions.
    func session(ofPublisher index: Int) -> String { sessionName(index / publishers) }
    package func stream(ofPublisher index: Int) -> String { "publisher-\(index % publishers)" }
}
