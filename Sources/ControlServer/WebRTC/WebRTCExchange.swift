import HTTPTypes
import Hummingbird
import Logging
import MediaBase
import MediaEngine
import NIOCore
import Signaling

/// Exchange of offer and answer by `POST`, for WHIP (RFC 9725 section 4.2) and WHEP.
struct WebRTCExchange {
    static let mediaType = "application/sdp"
    /// Maximum time in seconds that a subscriber may wait for a stream.
    static let longestWait = 60
    /// Interval at which a waiting request checks whether its client is still connected.
    private static let look = TimeAmount.seconds(1)

    let plane: any WebRTCMediaPlane
    let liveSessions: LiveSessions
    let arrivals: StreamArrivals
    let configuration: ControlConfiguration
    let bodies: OpenBodies
    let statistics: ControlStatistics
    let logger: Logger

    /// - Parameters:
    ///   - stream: name of the stream; nil: a random name for a publisher, the newest stream for a subscriber.
    ///   - wait: time that a subscriber waits for a stream that is not published yet.
    func open(
        _ request: Request, _ context: ControlContext, _ direction: WebRTCRequest.Direction, session: SessionName,
        stream: StreamName?, wait: Duration = .zero
    ) async throws -> Response {
        guard !bodies.isDraining else { throw Self.draining }
        guard request.mediaType == Self.mediaType else {
            throw Problem(
                .unsupportedMediaType, "an offer must be \(Self.mediaType)", accepts: .post(Self.mediaType))
        }
        guard MediaRanges(field: request.headers[values: .accept]).take(Self.mediaType) else {
            throw Problem(.notAcceptable, "the answer is \(Self.mediaType)")
        }
        let body = try await request.content(limit: configuration.sdpBytes, key: "limit.sdpBytes")
        let offer = try ClientOffer(body.readableBytesView, direction, codecs: configuration.connect.videoCodecs)
        let answer: WebRTCAnswer
        switch direction {
        case .publish: answer = try await publish(offer, stream, try visitor(request, context), context)
        case .subscribe:
            let wanted = offer.request(session: try context.engineName, stream: stream?.rawValue)
            let subscriber = try visitor(request, context)
            answer =
                wait == .zero
                ? try await view(wanted, subscriber)
                : try await viewWhenPublished(wanted, subscriber, within: wait, context)
        }
        logger.info(
            "WebRTC transport opened",
            metadata: [
                "session": "\(answer.session)", "stream": "\(answer.stream)", "transport": "\(answer.id)",
                "direction": "\(direction.rawValue)",
            ])
        return response(to: offer, answer, session: session, query: context.grant?.query ?? "")
    }

    private func publish(
        _ offer: ClientOffer, _ stream: StreamName?, _ visitor: Visitor, _ context: ControlContext
    ) async throws -> WebRTCAnswer {
        let name = try context.engineName
        return try await liveSessions.publish(
            visitor, stream: stream, kinds: offer.kinds, isPlain: false,
            elsewhere: { Self.elsewhere(offer.request(session: name, stream: $0), codec: offer.codec) }
        ) { [plane] (stream, startsMuted) async throws(EngineError) in
            let request = offer.request(session: name, stream: stream).starting(muted: startsMuted)
            let answer = try await plane.openWebRTC(request)
            return OpenedTransport(answer: answer, id: answer.id, codec: offer.codec)
        }
    }

    /// Returns the client of the request, with the session password from `?password=`.
    private func visitor(_ request: Request, _ context: ControlContext) throws(Problem) -> Visitor {
        guard let grant = context.grant else { throw Problem(.unauthorized, "the request has no token") }
        return context.visitor(
            to: grant.key, token: grant.token, isTrusted: grant.isTrusted,
            password: request.uri.queryParameters["password"].map { String($0) })
    }

    private func view(_ request: WebRTCRequest, _ subscriber: Visitor) async throws -> WebRTCAnswer {
        var request = request
        if subscriber.relay != nil, request.stream == nil {
            // Another relay must open the same stream as this one would.
            let accepted = request.tracks.first { $0.kind == .video }?.codecs.compactMap(\.video)
            request.stream = try? await plane.streams(session: request.session).newest(in: accepted)?.name
        }
        return try await liveSessions.view(subscriber, isPlain: false, elsewhere: Self.elsewhere(request)) {
            [plane, request] () async throws(EngineError) in
            let answer = try await plane.openWebRTC(request)
            return OpenedTransport(answer: answer, id: answer.id)
        } close: {
            try await plane.closeWebRTC($0, session: request.session)
        }
    }

    /// - Parameter codec: codec of a publisher's video; nil without video.
    private static func elsewhere(
        _ request: WebRTCRequest, codec: VideoCodec? = nil
    ) -> RemoteOpening<WebRTCAnswer> {
        RemoteOpening(stream: request.stream, call: { .openWebRTC(request.starting(muted: $0)) }) { answer in
            guard case .opened(let answer) = answer, answer.direction == request.direction,
                answer.stream == request.stream
            else { return nil }
            return OpenedTransport(answer: answer, id: answer.id, codec: codec)
        }
    }

    static var draining: Problem { Problem(.draining, "the relay is shutting down", retryAfter: 5) }

    /// Tries at once, and again whenever a stream is published in the session.
    private func viewWhenPublished(
        _ request: WebRTCRequest, _ subscriber: Visitor, within limit: Duration, _ context: ControlContext
    ) async throws -> WebRTCAnswer {
        let waiter = arrivals.wait(for: request.session)
        defer { waiter.finish() }
        let channel = context.channel
        let alarm = channel.eventLoop.scheduleTask(in: TimeAmount(limit)) { waiter.finish() }
        defer { alarm.cancel() }
        // A request whose client has disconnected must not keep waiting. The connection is polled, because a close callback for each
        // request would stay with it.
        let watch = channel.eventLoop.scheduleRepeatedTask(initialDelay: Self.look, delay: Self.look) { _ in
            if !channel.isActive { waiter.finish() }
        }
        defer { watch.cancel() }
        guard let id = bodies.add({ waiter.finish() }) else { throw Self.draining }
        defer { bodies.remove(id) }
        statistics.waitBegan()
        defer { statistics.waitEnded() }
        var last = EngineError.unknownSession(request.session)
        for await _ in waiter.wakes {
            do {
                return try await view(request, subscriber)
            } catch let error as EngineError {
                switch error {
                case .unknownSession, .unknownStream: last = error
                default: throw error
                }
            }
        }
        throw bodies.isDraining ? Self.draining : Problem(last)
    }

    /// - Parameter query: query of the URLs in the response.
    private func response(
        to offer: ClientOffer, _ answer: WebRTCAnswer, session: SessionName, query: String
    ) -> Response {
        let resource = WebRTCResource.path(answer, session: session)
        var fields: HTTPFields = [
            .contentType: Self.mediaType, .cacheControl: "no-store", .location: resource + query,
            .eTag: WebRTCResource.tag(of: answer.credentials), .acceptPatch: WebRTCResource.fragmentType,
        ]
        addICEServers(to: &fields)
        if answer.direction == .subscribe {
            fields.append(
                HTTPField(name: .link, value: "<\(resource)/layer\(query)>; rel=\"\(WHEPRoutes.layerExtension)\""))
            let events = WHEPEventRoutes.link(resource: resource, query: query, section: offer.videoSection)
            fields.append(HTTPField(name: .link, value: events))
        }
        return Response(
            status: .created, headers: fields, body: .init(byteBuffer: ByteBuffer(string: offer.text(for: answer))))
    }

    private func addICEServers(to fields: inout HTTPFields) {
        for server in configuration.iceServers { fields.append(HTTPField(name: .link, value: server.link)) }
    }

    /// Answers `OPTIONS` of an endpoint. It names ICE servers if the client is authorized, but never in a preflight (RFC 9725 section 4.6).
    func options(_ request: Request, _ context: ControlContext) -> Response {
        var fields: HTTPFields = [.acceptPost: Self.mediaType]
        let isPreflight = request.headers[.accessControlRequestMethod] != nil
        if !isPreflight, context.grant != nil { addICEServers(to: &fields) }
        return Response(status: .ok, headers: fields)
    }
}

extension WebRTCRequest {
    /// Returns the request with kinds whose packets are dropped from the first one on.
    fileprivate func starting(muted kinds: Set<TrackKind>) -> WebRTCRequest {
        var request = self
        request.startsMuted = Set(kinds.map { MediaKind($0) })
        return request
    }
}
