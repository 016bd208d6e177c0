import Foundation
import MediaBase
import Messaging

/// The writing connection of a relay to a PostgreSQL store, used by the writer's thread.
///
/// Relays write one after the other: a transaction begins with the store's lock. Under the lock a relay first reads the announcements of earlier
/// commits, and reports them before its own answers, so that its users are told of all changes in the order of the commits.
final class PostgresMessageWriter: MessageWriter {
    /// Time between two looks at the size of the database.
    private static let sizeInterval = MediaTime.seconds(60)
    /// Bytes of announcements that are read before they are reported. Users of a relay that is further behind read their lists again.
    private static let maximumUnreported = 32 << 20
    let batchTime: MediaTime? = .milliseconds(250)

    private let client: PostgresClient
    private let reports: MessageReports
    private var position = AnnouncementPosition()
    private var storeID = ""
    /// Whether other relays may have committed something since the last look.
    private var isBehind = true
    private var sizeDue = MediaTime.zero
    /// What was read and not reported yet, in order. Reporting takes time, in which other relays should not wait for the lock.
    private var unreported: [Unreported] = []
    private var unreportedBytes = 0

    private enum Unreported {
        case events(String)
        case missed
    }

    private(set) var bytes: Int64 = 0

    init(_ client: PostgresClient, _ reports: MessageReports) {
        self.client = client
        self.reports = reports
    }

    /// Descriptor that becomes readable when another relay has committed something; nil without a connection.
    var socket: Int32? { client.connection?.socket }

    func transact(_ body: (any DivisibleTransaction) throws -> MessageBatch) throws -> MessageBatch {
        defer { report() }
        return try client.run { connection in
            do {
                try connection.add("BEGIN ISOLATION LEVEL READ COMMITTED")
                try connection.add(PostgresMessageSchema.takeLock, [.integer(PostgresMessageSchema.lock)])
                try follow(connection)
                let batch = try body(MessageStore(PostgresTransaction(connection: connection), storeID: storeID))
                try commit(batch, connection)
                // The commit has succeeded, so that a failure must not repeat it.
                if (try? connection.receiveNotices()) ?? true { isBehind = true }
                return batch
            } catch {
                position.noteFailure()
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
        // The commit has succeeded, so nothing may fail here. Without the position, users are told of their own changes twice.
        if isAnnounced, let rows = results.dropLast(2).last, let own = try? mark(PostgresRow(rows: rows, row: 0)) {
            position.pass(own)
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

    private func mark(_ row: PostgresRow) throws -> AnnouncementPosition.Mark {
        .init(number: try row.integer("number"), tag: try row.integer("tag"))
    }

    /// Reads the announcements of other relays until there are no more.
    private func follow(_ connection: PostgresConnection) throws {
        while true {
            try connection.add(PostgresMessageSchema.nextAnnouncements, [.integer(position.number ?? .max)])
            let rows: PostgresRows?
            do throws(PostgresError) {
                rows = try connection.synchronize().last
            } catch {
                // The same announcements would take too long again.
                if error.isOfTime { position.skip() }
                throw error
            }
            guard let rows, try take(rows) else { return }
        }
    }

    /// - Returns: whether there are more.
    private func take(_ rows: PostgresRows) throws -> Bool {
        guard rows.count > 0 else { throw StorageError(.corrupted, "the table announcements has no row") }
        let first = PostgresRow(rows: rows, row: 0)
        storeID = try first.text("store")
        var answer = AnnouncementPosition.Answer(
            last: .init(number: try first.integer("last"), tag: try first.optionalInteger("lasttag")),
            removed: try first.integer("removed"), tag: try first.optionalInteger("oldtag"), page: [])
        var page: [String] = []
        for index in 0..<rows.count {
            let row = PostgresRow(rows: rows, row: index)
            guard try row.optionalInteger("number") != nil else { continue }
            answer.page.append(try mark(row))
            page.append(try row.body("events"))
        }
        switch position.read(answer) {
        case .missed:
            unreported = [.missed]
            unreportedBytes = 0
            return false
        case .tell(let isMore):
            unreported += page.map { .events($0) }
            unreportedBytes += page.reduce(0) { $0 + $1.utf8.count }
            guard unreportedBytes > Self.maximumUnreported else { return isMore }
            position.skip()
            return true
        }
    }

    /// Reports what was read.
    private func report() {
        let items = unreported
        unreported = []
        unreportedBytes = 0
        for item in items {
            switch item {
            case .missed: reports.tell(.missed)
            case .events(let events): tell(events)
            }
        }
    }

    private func tell(_ events: String) {
        do {
            for announcement in try AnnouncementText.announcements(events) { reports.tell(.announced(announcement)) }
        } catch {
            // A later event has a newer cursor, by which clients would skip these changes.
            reports.tell(.missed)
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
        defer { report() }
        do {
            try client.run { connection in
                try follow(connection)
                if isSizeDue { try measure(connection) }
                isBehind = try connection.receiveNotices()
            }
            return isBehind
        } catch {
            isBehind = true
            position.noteFailure()
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
