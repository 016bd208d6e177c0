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

    func publish(_ publisher: Int, in run: LoadRun) async throws(LoadError) -> Seat {
        var random = SystemRandomNumberGenerator()
        let media = try run.media(of: publisher)
        let configuration = WebRTCEndpoint.Configuration.publisher(
            identity: identity, rids: Self.rids(run.plan), audio: media.audio != nil, video: media.video != nil,
            using: &random)
        return try await connect(
            publisher, .publish, configuration, publisher: publisher, joined: LoadClock.now, source: media, feed: nil,
            to: run.sender, in: run)
    }

    func subscribe(_ join: Join, in run: LoadRun) async throws(LoadError) -> Seat {
        var random = SystemRandomNumberGenerator()
        var tracks: [TrackDescription] = []
        if run.plan.audio { tracks.append(.offered(.audio)) }
        if run.plan.video != nil { tracks.append(.offered(.video)) }
        let configuration = WebRTCEndpoint.Configuration(.view, tracks: tracks, identity: identity, using: &random)
        let feed = try run.feed(
            of: join, key: nil, audioSSRC: run.plan.audio ? SampleFeed.ssrc(of: .audio) : nil,
            videoSSRC: run.plan.video == nil ? nil : SampleFeed.ssrc(of: .video))
        do {
            return try await connect(
                join.index, .subscribe, configuration, publisher: join.publisher, joined: join.started, source: nil,
                feed: feed, to: run.receiver(of: join.index), in: run)
        } catch {
            feed?.close(now: LoadClock.now)
            throw error
        }
    }

    /// Sends an offer, passes the answer to the thread, and waits until media can flow.
    private func connect(
        _ index: Int, _ direction: WebRTCRequest.Direction, _ configuration: WebRTCEndpoint.Configuration,
        publisher: Int, joined: Int64, source: MediaSchedule.Source?, feed: SampleFeed?, to thread: EndpointThread,
        in run: LoadRun
    ) async throws(LoadError) -> Seat {
        let plan = run.plan
        let socket = try UDPSocket(
            host: plan.localAddress, receiveBuffer: direction == .subscribe ? 1 << 20 : 256 << 10, coalescing: true)
        var configuration = PeerLink.configuration(configuration, socket: socket, host: plan.localAddress)
        configuration.suites = [plan.suite]
        configuration.wallClock = .nanoseconds(run.clock.unixNanoseconds(at: 0))
        let relay = run.relay
        let answer = try await relay.offer(
            WebRTCEndpoint(configuration).offer.text, direction, session: plan.session(ofPublisher: publisher),
            stream: plan.stream(ofPublisher: publisher))
        let seat: Seat = { await relay.close(answer.resource) }
        let (final, loss) = (configuration, run.loss)
        return try await run.add(index, to: thread, seat, feed: feed) { () throws(LoadError) in
            Peer(
                index, final, answer: answer.sdp, socket: socket, joined: joined, source: source, feed: feed,
                loss: loss)
        }
    }

    /// Returns the rids of the simulcast encodings, smallest first, in the order of `VideoFormat.simulcast`.
    private static func rids(_ plan: LoadPlan) -> [RID] {
        guard plan.simulcast, let formats = plan.video?.simulcast else { return [] }
        return ["lo", "mid", "hi"].suffix(formats.count).compactMap { RID($0) }
    }
}
