internal import Conference
internal import Foundation
internal import MediaBase
internal import MediaEngine
internal import Signaling

extension Room {
    func statistics(of client: RoomClient) async -> Result<StatisticsAnswer, SignalingError> {
        .success(await measure(client))
    }

    private func measure(_ client: RoomClient) async -> StatisticsAnswer {
        let engine = environment.engine
        var answer = StatisticsAnswer()
        if let id = client.publisher?.id, let measured = try? await engine.peerStatistics(id, session: engineName) {
            answer.published = measured.published.map(StatisticsAnswer.Track.init)
            answer.roundTrip = measured.roundTrip?.milliseconds
        }
        if let id = client.subscriber?.id, let measured = try? await engine.peerStatistics(id, session: engineName) {
            answer.subscribed = measured.subscribed.map(StatisticsAnswer.Track.init)
            answer.availableBitrate = measured.availableBitrate.map { Int($0.rawValue) }
            answer.roundTrip = measured.roundTrip?.milliseconds ?? answer.roundTrip
        }
        return answer
    }

    // MARK: reports (ISS-1)

    static let maximumNoteCharacters = 2_000

    /// What is kept of a connection for an operator.
    private struct Bundle: Encodable {
        struct Subscription: Encodable {
            var stream: StreamID
            var preferences: SubscriptionPreferences
        }

        var connection: ConnectionID
        var program: String?
        var user: UserInfo?
        var capabilities: Capabilities?
        var session: String
        var users: Int
        var streams: [StreamInfo]
        var subscriptions: [Subscription]
        var statistics: StatisticsAnswer
        var lastEvent: UInt64
        var unsentEvents: Int
        var events: [String]
        var relay: String
    }

    func report(
        _ request: ReportIssueRequest, of client: RoomClient
    ) async -> Result<ReportIssueRequest.Answer, SignalingError> {
        if let note = request.note, note.count > Self.maximumNoteCharacters {
            return .failure(
                SignalingError(
                    .invalidField, "a note has at most \(Self.maximumNoteCharacters) characters", field: "note"))
        }
        let statistics = await measure(client)
        let bundle = Bundle(
            connection: client.id, program: client.program, user: conference.user(client.id),
            capabilities: conference.capabilities(of: client.id), session: key.description,
            users: conference.participantCount, streams: Array(conference.streams.prefix(200)),
            subscriptions: conference.subscriptions(of: client.id).map {
                Bundle.Subscription(stream: $0.stream, preferences: $0.preferences)
            },
            statistics: statistics, lastEvent: client.outbox.lastSeq, unsentEvents: client.outbox.unsentCount,
            events: client.recent, relay: BuildInfo.version)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let head = IssueHead(
            app: environment.app(of: key), session: key.name, sessionID: id, connection: client.id,
            note: request.note, reportedAt: ControlClock.wall)
        do {
            let issue = try await environment.issues.keep(head, bundle: Array(try encoder.encode(bundle)))
            logger.notice("issue reported", metadata: ["connection": "\(client.id)", "issue": "\(issue)"])
            return .success(ReportIssueRequest.Answer(issue: issue))
        } catch let error as SignalingError {
            return .failure(error)
        } catch {
            return .failure(SignalingError(.internalError))
        }
    }
}
