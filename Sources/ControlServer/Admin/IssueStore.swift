package import Signaling

/// Keeps the reports that clients ask for (ISS-1) until newer ones take their place.
package protocol IssueStore: Sendable {
    /// - Parameters:
    ///   - head: who reported what, where.
    ///   - bundle: the diagnostic bundle, a JSON object.
    /// - Returns: what the report is read back with.
    /// - Throws: `limitReached` where the bundle is too large.
    func keep(_ head: IssueHead, bundle: [UInt8]) async throws(SignalingError) -> String
    /// Newest first, at most `limit`, those older than `after`.
    func issues(after: String?, limit: Int) async throws(SignalingError) -> [IssueEntry]
    /// - Throws: `unknownIssue`.
    func issue(_ id: String) async throws(SignalingError) -> Issue
    func statistics() async -> IssueStatistics
}

/// Who reported.
package struct IssueHead: Hashable, Sendable, Codable {
    package var app: String
    package var session: String
    package var sessionID: SessionID
    package var connection: ConnectionID
    /// What the user said.
    package var note: String?
    /// Milliseconds since 1970.
    package var reportedAt: Int64

    package init(
        app: String, session: String, sessionID: SessionID, connection: ConnectionID, note: String? = nil,
        reportedAt: Int64
    ) {
        self.app = app
        self.session = session
        self.sessionID = sessionID
        self.connection = connection
        self.note = note
        self.reportedAt = reportedAt
    }
}

/// A report in a list.
package struct IssueEntry: Hashable, Sendable, Codable {
    package var id: String
    package var head: IssueHead
    /// Of the bundle.
    package var bytes: Int
}

package struct Issue: Hashable, Sendable {
    package var entry: IssueEntry
    package var bundle: [UInt8]
}

package struct IssueStatistics: Hashable, Sendable {
    /// Reports that are kept.
    package var kept = 0
    package var bytes = 0
    /// Since the start.
    package var reported: UInt64 = 0
    /// Too large, or not written.
    package var refused: UInt64 = 0
}
