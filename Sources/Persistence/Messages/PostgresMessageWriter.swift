import Foundation
import MediaBase
import Messaging

/// The writing connection of a relay to a PostgreSQL store, used by the writer's thread.
///
/// Relays write one after the other: a transaction begins with the store's lock. Under the lock a relay first reads the announcements of earlier
/// commits, so that its users are told of all changes in the order of the commits.
final class PostgresMessageWriter: MessageWriter {
    /// Time between two looks at the size of the database.
    private static let sizeInterval = MediaTime.seconds(60)

    private let client: PostgresClient
    private let reports: MessageReports
    private var position = AnnouncementPosition()
    private var storeID = ""
    /// Whether other relays may have committed something since the last look.
    private var isBehind = true
    private var sizeDue = MediaTime.zero
    private(set) var bytes: Int64 = 0

    init(_ client: PostgresClient, _ reports: MessageReports) {
        self.client = client
        self.reports = reports
    }

    /// Descriptor that becomes readable when another relay has committed something; nil without a connection.
    var socket: Int32? { client.connection?.socket }

    func transact(_ body: (any DivisibleTransaction) throws -> MessageBatch) throws -> MessageBatch {
        try client.run { connection in
            do {
                try connection.add("BEGIN")
                try connection.add(PostgresMessageSchema.takeLock, [.integer(PostgresMessageSchema.lock)])
                try follow(connection)
                let batch = try body(MessageStore(PostgresTransaction(connection: connection), storeID: storeID))
                try commit(batch, connection)
                return batch
            } catch {
                try rollBack(connection, after: error)
                throw error
            }
        }
    }

    private func commit(_ batch: MessageBatch, _ connection: PostgresConnection) throws {
        let isAnnounced = !batch.announcements.isEmpty
        if isAnnounced {
            try connection.add(PostgresMessageSchema.announce, [.body(try AnnouncementText.text(batch.announcements))])
        }
        try connection.add(PostgresMessageSchema.forget)
        try connection.add("COMMIT")
        let results: [PostgresRows]
        do throws(PostgresError) {
            results = try connection.synchronize()
        } catch {
            guard error.cause != .statement else { throw error }
            throw PostgresError(.commit, "the connection was lost during a commit: \(error.reason)", state: error.state)
        }
        if isAnnounced, let number = results.dropLast(2).last {
            position.pass(try PostgresRow(rows: number, row: 0).integer("value"))
        }
    }

    /// Ends a transaction after a failure of which the connection may have survived.
    private func rollBack(_ connection: PostgresConnection, after error: any Error) throws {
        if let error = error as? PostgresError, error.cause != .statement { return }
        do throws(PostgresError) {
            try connection.add("ROLLBACK")
            _ = try connection.synchronize()
        } catch {
            guard error.cause == .statement else { throw error }
            // A statement that was queued before has failed, so the rollback was skipped.
            try connection.add("ROLLBACK")
            _ = try connection.synchronize()
        }
    }

    /// Reads the announcements of other relays until there are no more, and reports them.
    private func follow(_ connection: PostgresConnection) throws {
        while true {
            try connection.add(PostgresMessageSchema.nextAnnouncements, [.integer(position.number ?? .max)])
            guard let rows = try connection.synchronize().last else { return }
            guard try take(rows) else { return }
        }
    }

    /// - Returns: whether there may be more.
    private func take(_ rows: PostgresRows) throws -> Bool {
        var last: Int64 = 0, removed: Int64 = 0
        var page: [(number: Int64, events: String)] = []
        for index in 0..<rows.count {
            let row = PostgresRow(rows: rows, row: index)
            last = try row.integer("last")
            removed = try row.integer("removed")
            storeID = try row.text("store")
            if let number = try row.optionalInteger("number") { page.append((number, try row.body("events"))) }
        }
        switch position.read(
            last: last, removed: removed, page: page.map(\.number), limit: PostgresMessageSchema.page)
        {
        case .missed:
            reports.tell(.missed)
            return false
        case .tell(let isMore):
            for (_, events) in page { tell(events) }
            return isMore
        }
    }

    private func tell(_ events: String) {
        do {
            for announcement in try AnnouncementText.announcements(events) { reports.tell(.announced(announcement)) }
        } catch {
            reports.failedByItself(StorageError(.newer, "a relay of another version has sent unknown events"))
        }
    }

    /// Connects if necessary, and reports what other relays have committed since the last call.
    ///
    /// - Returns: whether more was committed meanwhile. The socket does not tell of it again.
    func keepUp() -> Bool {
        let isConnected = client.connection != nil
        do {
            if let connection = client.connection, try connection.receiveNotices() { isBehind = true }
        } catch {
            client.drop()
        }
        let isSizeDue = sizeDue <= .monotonic
        guard isBehind || isSizeDue || client.connection == nil else { return false }
        do {
            try client.run { connection in
                try follow(connection)
                if isSizeDue { try measure(connection) }
                isBehind = try connection.receiveNotices()
            }
            return isBehind
        } catch {
            isBehind = true
            // While the database is down, only the first failure is new.
            if isConnected { reports.failedByItself(error) }
            return false
        }
    }

    private func measure(_ connection: PostgresConnection) throws {
        sizeDue = .monotonic + Self.sizeInterval
        bytes =
            try PostgresTransaction(connection: connection).rows(PostgresMessageSchema.size, []) {
                try $0.integer("value")
            }.first ?? 0
    }
}
