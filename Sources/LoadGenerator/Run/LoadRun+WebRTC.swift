import DTLS
import MediaBase
import SDP
import WebRTCClient

extension LoadRun {
    /// Rids of the simulcast encodings, smallest first, in the order of `VideoFormat.simulcast`.
    private var rids: [RID] {
        guard plan.simulcast, let formats = plan.video?.simulcast else { return [] }
        return ["lo", "mid", "hi"].suffix(formats.count).compactMap { RID($0) }
    }

    func publishWebRTC(
        _ door: any WebRTCRelayDoor, _ identity: DTLSIdentity, index: Int
    ) async throws(LoadError) -> Seat {
        var random = SystemRandomNumberGenerator()
        let configuration = WebRTCEndpoint.Configuration.publisher(
            identity: identity, rids: rids, audio: sound != nil, video: !sources.isEmpty, using: &random)
        return try await connect(
            door, .publish, configuration, publisher: index, index: index, joined: LoadClock.now, feed: nil,
            thread: peerSender)
    }

    func joinWebRTC(
        _ door: any WebRTCRelayDoor, _ identity: DTLSIdentity, index: Int, publisher: Int, started: Int64,
        isSampled: Bool
    ) async throws(LoadError) -> Roster.Entry {
        var random = SystemRandomNumberGenerator()
        var tracks: [TrackDescription] = []
        if plan.audio { tracks.append(.offered(.audio)) }
        if plan.video != nil { tracks.append(.offered(.video)) }
        let configuration = WebRTCEndpoint.Configuration(.view, tracks: tracks, identity: identity, using: &random)
        let feed =
            isSampled
            ? feed(
                key: nil, audioSSRC: plan.audio ? PeerReception.audioSSRC : nil,
                videoSSRC: plan.video == nil ? nil : PeerReception.videoSSRC, publisher: publisher, joined: started)
            : nil
        let thread = index % peerReceivers.count
        do {
            let seat = try await connect(
                door, .view, configuration, publisher: publisher, index: index, joined: started, feed: feed,
                thread: peerReceivers[thread])
            return Roster.Entry(index: index, thread: thread, seat: seat, isSampled: isSampled)
        } catch {
            feed?.close(now: LoadClock.now)
            throw error
        }
    }

    /// Sends an offer, passes the answer to the thread, and waits until media can flow.
    private func connect(
        _ door: any WebRTCRelayDoor, _ direction: ConnectionOffer.Direction,
        _ configuration: WebRTCEndpoint.Configuration, publisher: Int, index: Int, joined: Int64, feed: SampleFeed?,
        thread: PeerThread
    ) async throws(LoadError) -> Seat {
        let socket = try UDPSocket(
            host: plan.localAddress, receiveBuffer: direction == .view ? 1 << 20 : 256 << 10, coalescing: true)
        var configuration = configuration
        configuration.suites = [plan.suite]
        configuration.wallClock = .nanoseconds(clock.unixNanoseconds(at: 0))
        configuration.candidates = [
            ICECandidate(
                foundation: "1", transport: .udp, priority: 2_130_706_431, host: plan.localAddress, port: socket.port)
        ]
        let answer = try await door.offer(
            ConnectionOffer(
                direction, session: plan.sessionName(publisher / plan.publishers),
                stream: plan.streamName(publisher % plan.publishers), sdp: WebRTCEndpoint(configuration).offer.text))
        let media = PeerSetup.Media(
            video: source(of: publisher), audio: sound, tone: tone(of: publisher),
            videoOffset: videoOffset(of: publisher), audioOffset: audioOffset(of: publisher))
        let final = configuration
        let outcome = await withCheckedContinuation { waiting in
            thread.add(
                PeerSetup(
                    index: index, configuration: final, answer: answer.sdp, socket: socket, joined: joined,
                    media: direction == .publish ? media : nil, feed: feed,
                    completion: { waiting.resume(returning: $0) }))
        }
        switch outcome {
        case .success: return .webRTC(answer.resource)
        case .failure(let error):
            await thread.remove(index)
            await door.close(answer.resource)
            throw error
        }
    }
}
