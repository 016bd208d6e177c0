import Conference
import MediaBase
import MediaEngine
import Signaling
import WebRTCClient

/// Pushes of the session (LIV-1).
extension LiveSession {
    /// Time until a stream that the engine does not have is tapped again.
    private static let sourceWait = Duration.milliseconds(500)

    func carryOut(_ command: PushCommand) {
        switch command {
        case .start(let id, let request):
            pushes.add(id)
            Task { await push(id, request) }
        case .stop(let id): pushes.stop(id)
        }
    }

    /// Runs a push until it ends. A publisher that takes over its stream replaces it in the
    /// engine, so that the tap ends and another one is opened. A programme ends with the session.
    private func push(_ id: PushID, _ request: StartPushRequest) async {
        guard environment.pushes.reserve() else {
            return report(id, .failed(.internalError, detail: "the relay has no free live stream", retryIn: nil))
        }
        defer { environment.pushes.release() }
        while pushes.contains(id), !read({ $0.isForgotten || $0.isAbandoned }) {
            do {
                await push(id, request, try await source(of: request))
                // A programme that has ended can be opened again before the end of its session is known here.
                if request.stream == nil, pushes.contains(id) { try? await Task.sleep(for: Self.sourceWait) }
            } catch EngineError.unknownStream, EngineError.unknownSession {
                // The publisher is reconnecting, or the end of the stream is not known here yet.
                guard (try? await Task.sleep(for: Self.sourceWait)) != nil else { return }
            } catch {
                report(id, .failed(.internalError, detail: "\(error)", retryIn: nil))
            }
        }
    }

    private func source(of request: StartPushRequest) async throws -> PushSource {
        guard let stream = request.stream else { return try await programmeSource() }
        return try await environment.pushes.source(of: stream, session: engineName)
    }

    /// Runs one push, and passes on its reports.
    private func push(_ id: PushID, _ request: StartPushRequest, _ source: PushSource) async {
        guard let push = environment.pushes.start(request, source: source) else {
            return report(id, .failed(.internalError, detail: "the relay cannot start a thread", retryIn: nil))
        }
        // The push may have ended while the tap was opened.
        if !pushes.set(id, push) { push.stop() }
        for await report in push.reports {
            if let outcome = PushOutcome(report) {
                self.report(id, outcome)
            } else {
                logger.notice("live stream restored by an ICE restart", metadata: ["live": "\(id)"])
            }
        }
    }

    /// Opens the programme for a push.
    private func programmeSource() async throws -> PushSource {
        let name = engineName
        let state = try await ProgrammeSession(read { $0.programmeRules }, session: name, environment.engine)
        return try environment.pushes.programme(of: name, state) { [weak self] in
            guard let self, let rules = await self.read({ $0.rulesOfRunningProgramme }) else { return nil }
            return try? await ProgrammeSession(rules, session: name, self.environment.engine).listing
        }
    }

    private func report(_ id: PushID, _ outcome: PushOutcome) { turn { $0.pushed(id, outcome) } }
}

extension PushOutcome {
    /// Nil for a report that concerns only the operator.
    init?(_ report: PushReport) {
        switch report {
        case .live: self = .started
        case .restarted: return nil
        case .failed(let failure, let retryIn):
            self = .failed(
                PushFailureReason(failure), detail: "\(failure)", retryIn: retryIn.map { Int($0.seconds.rounded(.up)) })
        }
    }
}

extension PushFailureReason {
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
