import Conference
import Foundation
import MediaBase
import MediaEngine
import SessionMedia
import Signaling

/// Issue reports of participants, for an operator (ISS-1).
extension SessionCore {
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
        _ request: ReportIssueRequest, of client: LiveConnection,
        then: @escaping (Result<ReportIssueRequest.Answer, SignalingError>) -> Void
    ) {
        if let note = request.note, note.count > Self.maximumNoteCharacters {
            return then(
                .failure(
                    SignalingError(
                        .invalidField, "a note has at most \(Self.maximumNoteCharacters) characters", field: "note")))
        }
        do throws(SignalingError) {
            try context.reports.admit(client.reporter, now: time.now)
        } catch {
            return then(.failure(error))
        }
        measure(client) { [self] statistics in
            trace(media.publisher(of: client.id)) { [self] published in
                trace(media.subscriber(of: client.id)) { [self] subscribed in
                    let packets = Bundle.Packets(publish: published, subscribe: subscribed)
                    keep(bundle(of: client, statistics, packets), request.note, client.id, then: then)
                }
            }
        }
    }

    private func bundle(
        of client: LiveConnection, _ statistics: StatisticsAnswer, _ packets: Bundle.Packets
    ) -> Bundle {
        Bundle(
            connection: client.id, program: client.program, user: conference.user(client.id),
            capabilities: conference.capabilities(of: client.id), session: key.description,
            users: conference.participantCount, streams: Array(conference.streams.prefix(200)),
            subscriptions: conference.subscriptions(of: client.id).map {
                Bundle.Subscription(stream: $0.stream, preferences: $0.preferences)
            },
            statistics: statistics, lastEvent: client.outbox.lastSeq, unsentEvents: client.outbox.unsentCount,
            events: client.recent, packets: packets, relay: BuildInfo.version)
    }

    private func keep(
        _ bundle: Bundle, _ note: String?, _ connection: ConnectionID,
        then: @escaping (Result<ReportIssueRequest.Answer, SignalingError>) -> Void
    ) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let head = IssueHead(
            app: key.app, session: key.name, sessionID: id, connection: connection, note: note,
            reportedAt: time.wall)
        guard let text = try? encoder.encode(bundle) else { return then(.failure(SignalingError(.internalError))) }
        let issue = issues.add { [self] result in
            if case .success(let issue) = result {
                logger.notice("issue reported", metadata: ["connection": "\(connection)", "issue": "\(issue)"])
            }
            then(result.map(ReportIssueRequest.Answer.init))
        }
        emit(.keepIssue(issue, head, bundle: Array(text)))
    }

    /// Handles the outcome of a report.
    /// - Parameter result: the id by which an operator finds it.
    func kept(_ issue: OpenIssues.ID, _ result: Result<String, SignalingError>) { issues.take(issue)?(result) }

    private func trace(_ peer: PeerID?, then: @escaping (PeerTraceBody?) -> Void) {
        guard let peer else { return then(nil) }
        ask(of: peer, .trace(peer)) { answer in
            guard case .success(.trace(let trace)) = answer else { return then(nil) }
            then(PeerTraceBody(trace))
        }
    }
}
