import MediaBase
import Signaling
import Testing

/// A client of the control protocol with both of its peer connections.
final class MediaClient: Sendable {
    let socket: SocketClient
    let joined: JoinAnswer
    let publishing: MediaPeer
    let receiving: MediaPeer

    /// - Parameter source: number that identifies this client's published media.
    init(
        _ socket: SocketClient, _ joined: JoinAnswer, publishing: MediaPeer? = nil, receiving: MediaPeer? = nil,
        source: UInt32 = 1
    ) async throws {
        self.socket = socket
        self.joined = joined
        if let publishing {
            self.publishing = publishing
        } else {
            self.publishing = try await MediaPeer(.publish, source: source)
        }
        if let receiving { self.receiving = receiving } else { self.receiving = try await MediaPeer(.receive) }
    }

    func close() async {
        await publishing.close()
        await receiving.close()
    }

    /// Publishes another stream.
    func publish(
        _ name: String, videoType: VideoType = .camera, audio: Bool = true, video: Bool = true,
        besides earlier: [PublishRequest.Stream] = []
    ) async throws -> PublishRequest.Stream {
        let indices = publishing.add(audio: audio, video: video)
        let (sdp, mids) = publishing.offer()
        var stream = PublishRequest.Stream(
            name: name, videoType: videoType, audioMid: indices.audio.flatMap { mids[$0] },
            videoMid: indices.video.flatMap { mids[$0] })
        let request = PublishRequest(sdp: sdp, streams: earlier + [stream])
        let answer = try await socket.request(request).get()
        try publishing.accept(answer.sdp)
        stream.id = answer.streams.last
        return stream
    }

    /// Subscribes and answers the resulting offer.
    func subscribe(
        _ stream: StreamID, _ preferences: SubscriptionPreferences = SubscriptionPreferences(),
        transport: MediaTransport? = nil
    ) async throws -> OfferMade.Stream {
        let wish = SubscribeRequest(stream: stream, preferences: preferences, transport: transport)
        #expect(try await socket.ask(wish) == nil)
        let offer = try await answerOffer()
        return try #require(offer.streams.first { $0.id == stream })
    }

    @discardableResult
    func answerOffer() async throws -> OfferMade {
        guard case .offer(let offer) = try await socket.next(.offer) else { throw SocketClient.Refused() }
        let answer = AnswerRequest(revision: offer.revision, sdp: try receiving.answer(offer.sdp))
        #expect(try await socket.ask(answer) == nil)
        return offer
    }

    /// Answers offers until one has at least `count` streams, and returns its streams.
    func answerOffers(until count: Int) async throws -> [OfferMade.Stream] {
        while true {
            let offer = try await answerOffer()
            if offer.streams.count >= count { return offer.streams }
        }
    }

    /// Waits until `count` more frames of a stream have arrived.
    func sees(_ count: Int, more of: OfferMade.Stream) async throws {
        let before = receiving.reception(of.videoMid).frames
        try await eventually("\(count) frames of \(of.id)") {
            receiving.reception(of.videoMid).frames >= before + count
        }
    }

    /// Waits for audio and video of a subscription that were captured after this call.
    func hears(_ stream: OfferMade.Stream, within limit: Duration = .seconds(15)) async throws {
        let start = MediaPeer.now
        try await eventually("media of \(stream.id)", within: limit) {
            let audio = receiving.reception(stream.audioMid)
            let frame = receiving.reception(stream.videoMid)
            return (stream.audioMid == nil || audio.lastAudio > start)
                && (stream.videoMid == nil || frame.lastFrame > start)
        }
    }
}

extension ConnectFixture {
    func enter(_ name: String, session: String = "demo", token: TestToken = TestToken()) async throws -> MediaClient {
        let (socket, answer) = try await join(name, session: session, token: token)
        return try await MediaClient(socket, answer)
    }
}
