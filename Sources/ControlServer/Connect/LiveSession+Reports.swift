import Conference
import Foundation
import MediaBase
import MediaEngine
import SessionMedia
import Signaling

/// Issue reports of participants, for an operator (ISS-1).
extension LiveSession {
    static let maximumNoteCharacters = 2_000

    /// Diagnostic data of a connection, for an operator.
    private struct Bundle: Encodable {
        struct Subscription: Encodable {
            var stream: StreamID
            var preferences: SubscriptionPreferences
        }

        /// Packet traces of the last 30 s of each peer connection.
        struct Packets: Encodable {
            var publish: PeerTraceBody?
            var subscribe: PeerTraceBody?
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
        var packets: Packets
        var relay: String
    }

    func report(
        _ request: ReportIssueRequest, of client: LiveConnection
    ) async -> Result<ReportIssueRequest.Answer, SignalingError> {
        if let note = request.note, note.count > Self.maximumNoteCharacters {
            return .failure(
                SignalingError(
                    .invalidField, "a note has at most \(Self.maximumNoteCharacters) characters", field: "note"))
        }
        do throws(SignalingError) {
            try environment.reports.admit(client.reporter, now: ControlClock.now)
        } catch {
            return .failure(error)
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
            events: client.recent,
            packets: Bundle.Packets(
                publish: await trace(media.publisher(of: client.id)),
                subscribe: await trace(media.subscriber(of: client.id))),
            relay: BuildInfo.version)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let head = IssueHead(
            app: key.app, session: key.name, sessionID: id, connection: client.id,
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

    private func trace(_ peer: PeerID?) async -> PeerTraceBody? {
        guard let peer, case .trace(let trace) = try? await ask(of: peer, .trace(peer)) else { return nil }
        return PeerTraceBody(trace)
    }
}
