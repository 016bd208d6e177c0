package import Signaling

/// Stores the reports that clients submit (ISS-1) until newer ones replace them.
package protocol IssueStore: Sendable {
    /// - Parameters:
    ///   - head: session, connection, note and time of the report.
    ///   - bundle: the diagnostic bundle, a JSON object.
    /// - Returns: id by which the report can be read.
    /// - Throws: `limitReached` if the bundle is too large.
    func keep(_ head: IssueHead, bundle: [UInt8]) async throws(SignalingError) -> String
    /// Returns reports older than `after`, newest first, at most `limit`.
    func issues(after: String?, limit: Int) async throws(SignalingError) -> [IssueEntry]
    /// - Throws: `unknownIssue`.
    func issue(_ id: String) async throws(SignalingError) -> Issue
    func statistics() async -> IssueStatistics
}

/// Origin, note and time of a report.
package struct IssueHead: Hashable, Sendable, Codable {
    package var app: String
    package var session: String
    package var sessionID: SessionID
    package var connection: ConnectionID
    /// Text that the user entered.
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
    /// Size of the bundle.
    package var bytes: Int
}

package struct Issue: Hashable, Sendable {
    package var entry: IssueEntry
    package var bundle: [UInt8]
}

package struct IssueStatistics: Hashable, Sendable {
    /// Reports in the store.
    package var kept = 0
    package var bytes = 0
    /// Reports stored since the start.
    package var reported: UInt64 = 0
    /// Reports that were too large or could not be written.
    package var refused: UInt64 = 0
}
