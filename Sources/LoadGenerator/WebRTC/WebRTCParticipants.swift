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
        return try await connect(.publish, configuration, publisher: publisher, source: media, join: nil, in: run)
    }

    func subscribe(_ join: Join, in run: LoadRun) async throws(LoadError) -> Seat {
        var random = SystemRandomNumberGenerator()
        var tracks: [TrackDescription] = []
        if run.plan.audio { tracks.append(.offered(.audio)) }
        if run.plan.video != nil { tracks.append(.offered(.video)) }
        let configuration = WebRTCEndpoint.Configuration(.view, tracks: tracks, identity: identity, using: &random)
        return try await connect(
            .subscribe, configuration, publisher: join.publisher, source: nil, join: join, in: run)
    }

    /// Sends an offer, passes the answer to the thread, and waits until media can flow.
    /// - Parameters:
    ///   - source: media that a publisher sends; nil for a subscriber.
    ///   - join: the subscriber; nil for a publisher.
    private func connect(
        _ direction: WebRTCRequest.Direction, _ configuration: WebRTCEndpoint.Configuration, publisher: Int,
        source: MediaSchedule.Source?, join: Join?, in run: LoadRun
    ) async throws(LoadError) -> Seat {
        let plan = run.plan
        let started = join?.started ?? LoadClock.now
        let socket = try UDPSocket(
            host: plan.localAddress, receiveBuffer: direction == .subscribe ? 1 << 20 : 256 << 10)
        var configuration = PeerLink.configuration(configuration, socket: socket, host: plan.localAddress)
        configuration.suites = [plan.suite]
        configuration.wallClock = .nanoseconds(run.clock.unixNanoseconds(at: 0))
        let relay = run.relay
        let answer = try await relay.offer(
            WebRTCEndpoint(configuration).offer.text, direction, session: plan.session(ofPublisher: publisher),
            stream: plan.stream(ofPublisher: publisher))
        let seat: Seat = { await relay.close(answer.resource) }
        var feed: SampleFeed?
        do throws(LoadError) {
            if let join {
                feed = try run.feed(
                    of: join, key: nil, audioSSRC: plan.audio ? SampleFeed.ssrc(of: .audio) : nil,
                    videoSSRC: plan.video == nil ? nil : SampleFeed.ssrc(of: .video))
            }
        } catch {
            await seat()
            throw error
        }
        let index = join?.index ?? publisher
        return try await run.add(
            index, to: join.map { run.receiver(of: $0.index) } ?? run.sender, seat, feed: feed
        ) { [configuration, feed, loss = run.loss] () throws(LoadError) in
            Peer(
                index, configuration, answer: answer.sdp, socket: socket, joined: started, source: source, feed: feed,
                loss: loss)
        }
    }

    /// Returns the rids of the simulcast encodings, smallest first, in the order of `VideoFormat.simulcast`.
    private static func rids(_ plan: LoadPlan) -> [RID] {
        guard plan.simulcast, let formats = plan.video?.simulcast else { return [] }
        return ["lo", "mid", "hi"].suffix(formats.count).compactMap { RID($0) }
    }
}
