import Conference
import MediaBase
import MediaEngine
import Signaling
import WebRTCClient

/// Live streams of the session (LIV-1).
extension LiveSession {
    /// Time until a stream that the engine does not have is tapped again.
    private static let sourceWait = Duration.milliseconds(500)

    var liveStreams: [LiveStreamAnswer] {
        conference.liveStreams.map { LiveStreamAnswer(id: $0.id, stream: $0.stream, isLive: $0.isLive) }
    }

    /// Starts a live stream for the operator.
    /// - Parameter allowsHTTP: allows an `http:` URL.
    func startLive(_ request: StartLiveRequest, allowsHTTP: Bool) throws(SignalingError) -> LiveID {
        guard !isForgotten else { throw SignalingError(.sessionEnded) }
        let (id, effects) = try conference.startLive(request, allowsHTTP: allowsHTTP, now: ControlClock.now).get()
        perform(effects)
        return id
    }

    /// Ends a live stream for the operator.
    func stopLive(_ id: LiveID) throws(SignalingError) {
        perform(try conference.stopLive(id, now: ControlClock.now).get())
    }

    func carryOut(_ command: LiveCommand) {
        switch command {
        case .start(let id, let request):
            pushes.add(id)
            Task { await push(id, request) }
        case .stop(let id): pushes.stop(id)
        }
    }

    /// Pushes a stream for as long as its live stream is on. A publisher that takes over its stream replaces it in the
    /// engine, so that the tap ends and another one is opened.
    private func push(_ id: LiveID, _ request: StartLiveRequest) async {
        guard environment.pushes.reserve() else {
            return report(id, .failed(.internalError, detail: "the relay has no free live stream", retryIn: nil))
        }
        defer { environment.pushes.release() }
        while pushes.contains(id) {
            do throws(EngineError) {
                let source = try await PushSource.stream(
                    request.stream.rawValue, in: engineName, of: environment.engine)
                await push(id, request, source)
            } catch {
                switch error {
                case .unknownStream, .unknownSession:
                    // The publisher is reconnecting, or the end of the stream is not known here yet.
                    guard (try? await Task.sleep(for: Self.sourceWait)) != nil else { return }
                default: report(id, .failed(.internalError, detail: "\(error)", retryIn: nil))
                }
            }
        }
    }

    /// Runs one push, and passes on its reports.
    private func push(_ id: LiveID, _ request: StartLiveRequest, _ source: PushSource) async {
        guard let push = environment.pushes.start(request, source: source) else {
            return report(id, .failed(.internalError, detail: "the relay cannot start a thread", retryIn: nil))
        }
        // The live stream may have ended while the tap was opened.
        if !pushes.set(id, push) { push.stop() }
        for await report in push.reports { self.report(id, LiveReport(report)) }
    }

    private func report(_ id: LiveID, _ report: LiveReport) {
        switch report {
        case .started: logger.notice("live stream started", metadata: ["live": "\(id)"])
        case .failed(let reason, let detail, let retryIn):
            logger.warning(
                "live stream failed: \(detail)",
                metadata: [
                    "live": "\(id)", "reason": "\(reason.rawValue)", "retryIn": "\(retryIn.map { "\($0) s" } ?? "no")",
                ])
        }
        perform(conference.live(id, report, now: ControlClock.now))
    }
}

extension LiveReport {
    init(_ report: PushReport) {
        switch report {
        case .live: self = .started
        case .failed(let failure, let retryIn):
            self = .failed(
                LiveFailureReason(failure), detail: "\(failure)", retryIn: retryIn.map { Int($0.seconds.rounded(.up)) })
        }
    }
}

extension LiveFailureReason {
    fileprivate init(_ failure: PushFailure) {
        self =
            switch failure {
            case .unusableURL: .unusableURL
            case .addressRefused: .addressRefused
            case .unreachable: .unreachable
            case .refused: .refused
            case .unusableAnswer: .unusableAnswer
            case .codecRefused: .codecRefused
            case .connectionLost: .connectionLost
            case .local: .internalError
            }
    }
}
