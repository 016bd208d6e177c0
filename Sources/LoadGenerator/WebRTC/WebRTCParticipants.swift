import DTLS
import MediaBase
import MediaEngine
import SDP
import WebRTCClient

/// Participants with peer connections, all with the same certificate.
struct WebRTCParticipants: ParticipantOpener {
    private let identity: DTLSIdentity

    init() throws(LoadError) {
        do { identity = try .generate() } catch { throw .media("certificate: \(error)") }
    }

    func publish(_ publisher: Int, in run: LoadRun) async throws(LoadError) -> OpenParticipant {
        var random = SystemRandomNumberGenerator()
        let media = run.media(of: publisher)
        let configuration = WebRTCEndpoint.Configuration.publisher(
            identity: identity, rids: Self.rids(run.plan), audio: media.audio != nil, video: media.video != nil,
            using: &random)
        return try await open(.publish, configuration, publisher: publisher, source: media, join: nil, in: run)
    }

    func subscribe(_ join: Join, in run: LoadRun) async throws(LoadError) -> OpenParticipant {
        var random = SystemRandomNumberGenerator()
        let configuration = WebRTCEndpoint.Configuration.subscriber(
            identity: identity, audio: run.plan.audio, video: run.plan.video != nil, using: &random)
        return try await open(.subscribe, configuration, publisher: join.publisher, source: nil, join: join, in: run)
    }

    /// Sends an offer: of a publisher, which has media as its source, or of a subscriber that joins.
    private func open(
        _ direction: WebRTCRequest.Direction, _ configuration: WebRTCEndpoint.Configuration, publisher: Int,
        source: MediaSchedule.Source?, join: Join?, in run: LoadRun
    ) async throws(LoadError) -> OpenParticipant {
        let (plan, relay) = (run.plan, run.relay)
        let started = join?.started ?? LoadClock.now
        let socket = try UDPSocket(
            host: plan.localAddress, receiveBuffer: direction == .subscribe ? 1 << 20 : 256 << 10)
        var configuration = configuration
        configuration.candidates = [socket.candidate]
        configuration.suites = [plan.suite]
        configuration.wallClock = .nanoseconds(run.clock.unixNanoseconds(at: 0))
        let answer = try await relay.offer(
            WebRTCEndpoint(configuration).offer.text, direction, session: plan.session(ofPublisher: publisher),
            stream: plan.stream(ofPublisher: publisher))
        let feed = join.flatMap {
            run.feed(
                of: $0, key: nil, audioSSRC: plan.audio ? SampleFeed.ssrc(of: .audio) : nil,
                videoSSRC: plan.video == nil ? nil : SampleFeed.ssrc(of: .video))
        }
        return OpenParticipant(seat: { await relay.close(answer.resource) }, feed: feed) { [configuration] in
            Peer(
                join?.index ?? publisher, configuration, answer: answer.sdp, socket: socket, joined: started,
                source: source, feed: feed, loss: run.loss)
        }
    }

    /// Returns the rids of the simulcast encodings, smallest first, in the order of `VideoFormat.simulcast`.
    private static func rids(_ plan: LoadPlan) -> [RID] {
        guard plan.simulcast, let formats = plan.video?.simulcast else { return [] }
        return ["lo", "mid", "hi"].suffix(formats.count).compactMap { RID($0) }
    }
}
