import CLinuxNet
import Cluster
import Foundation
import Glibc
import MediaBase
import Messaging
import Signaling
import Synchronization

/// Conversation store in a PostgreSQL database, which several relays can use at the same time.
///
/// One thread writes, and receives what other relays have committed; others read. Calls that wait for the database are made only on these
/// threads, and all have time limits.
final class PostgresMessages: MessageEngine {
    private typealias Read = @Sendable (any DivisibleTransaction) throws -> MessagingOutcome
    private typealias Lane = PostgresLane<Read, Result<MessagingOutcome, SignalingError>>

    private struct Jobs {
        var bodies: [@Sendable (any MessageWriter) -> Void] = []
        /// Time after which waiting for the database ends; nil before `close`.
        var end: MediaTime?
        /// Whether the writer's thread has ended.
        var isOver = false
        var nextReader = 0
    }

    /// Time for the commands that wait when the store is closed.
    private static let closingTime = MediaTime.seconds(2)
    /// Longest wait of the writer's thread, which then looks at the size of the database. Without a connection it tries to connect again.
    private static let idleMilliseconds: Int32 = 10_000
    private static let reconnectMilliseconds: Int32 = 200

    private let address: PostgresAddress
    private let library: PostgresLibrary
    private let jobs = Mutex(Jobs())
    private let size = Atomic<Int>(0)
    /// Wakes the writer's thread.
    private let event: Int32
    private let isOver = DispatchSemaphore(value: 0)
    private let readers: [Lane]

    /// Starts the threads, which connect when they are needed.
    init(url: String, _ configuration: StorageConfiguration, _ reports: MessageReports) throws(StorageError) {
        do {
            library = try PostgresLibrary.shared.get()
            address = try PostgresAddress(url, library)
        } catch {
            throw StorageError(.failed, error.reason)
        }
        event = millrace_event_open()
        guard event >= 0 else { throw StorageError(.failed, "no descriptor for the writer's thread") }
        let (address, library) = (address, library)
        readers = (0..<max(1, configuration.readers)).map { number in
            Lane(name: "messages-\(number + 1)", address, library, maximumRequests: configuration.queue) {
                connection throws(PostgresError) in
                try connection.prepareMessages(listens: false)
            } work: { connection, read, _ in
                try Self.read(read, connection)
            }
        }
        let thread = Thread { [self] in run(reports) }
        thread.name = "messages-writer"
        thread.start()
    }

    deinit { Glibc.close(event) }

    var bytes: Int { size.load(ordering: .relaxed) }

    func write(_ body: @escaping @Sendable (any MessageWriter) -> Void) {
        let isOver = jobs.withLock { jobs in
            if !jobs.isOver { jobs.bodies.append(body) }
            return jobs.isOver
        }
        guard !isOver else { return body(ClosedWriter()) }
        millrace_event_signal(event)
    }

    /// Writer of a store that was closed.
    private struct ClosedWriter: MessageWriter {
        let batchTime: MediaTime? = nil

        func transact(_ body: (any DivisibleTransaction) throws -> MessageBatch) throws -> MessageBatch {
            throw StoreFailure.closed
        }
    }

    private func run(_ reports: MessageReports) {
        let client = PostgresClient(
            address, library,
            isCancelled: { [self] in jobs.withLock { $0.end.map { $0 <= .monotonic } ?? false } }
        ) { connection throws(PostgresError) in
            try connection.prepareMessages(listens: true)
        }
        let writer = PostgresMessageWriter(client, reports)
        while true {
            let (bodies, isOver) = jobs.withLock { jobs in
                defer { jobs.bodies = [] }
                jobs.isOver = jobs.bodies.isEmpty && jobs.end != nil
                return (jobs.bodies, jobs.isOver)
            }
            if isOver { break }
            for body in bodies { body(writer) }
            if !bodies.isEmpty { continue }
            let isMore = writer.keepUp()
            size.store(Int(clamping: writer.bytes), ordering: .relaxed)
            if !isMore { wait(for: writer.socket) }
        }
        isOver.signal()
    }

    /// Waits for work, or for a notice of another relay.
    private func wait(for socket: Int32?) {
        var entries = [pollfd(fd: event, events: Int16(POLLIN), revents: 0)]
        if let socket { entries.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0)) }
        _ = poll(&entries, nfds_t(entries.count), socket == nil ? Self.reconnectMilliseconds : Self.idleMilliseconds)
        millrace_event_clear(event)
    }

    func read(
        _ body: @escaping @Sendable (any DivisibleTransaction) throws -> MessagingOutcome
    ) async throws -> MessagingOutcome {
        let reader = jobs.withLock { jobs in
            jobs.nextReader = (jobs.nextReader + 1) % readers.count
            return readers[jobs.nextReader]
        }
        return try await reader.perform(body).get()
    }

    private static func read(
        _ body: Read, _ connection: PostgresConnection
    ) throws -> Result<MessagingOutcome, SignalingError> {
        try connection.add("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let result: Result<MessagingOutcome, SignalingError>
        do {
            result = .success(try body(try MessageStore(PostgresTransaction(connection: connection))))
        } catch let error as SignalingError {
            result = .failure(error)
        } catch let error as PostgresError where error.cause != .statement {
            throw error
        } catch {
            try connection.add("ROLLBACK")
            _ = try connection.synchronize()
            throw error
        }
        try connection.add("COMMIT")
        _ = try connection.synchronize()
        return result
    }

    /// Connects once, and makes the tables if they are missing.
    func probe() throws {
        let connection = try PostgresConnection(address, library, isCancelled: { false })
        try connection.prepareMessages(listens: false)
    }

    func integrityFault() throws -> String? {
        let connection = try PostgresConnection(address, library, isCancelled: { false })
        try connection.prepareMessages(listens: false)
        let (totals, entries) =
            try PostgresTransaction(connection: connection).rows(PostgresMessageSchema.faults, []) {
                (try $0.integer("totals"), try $0.integer("entries"))
            }.first ?? (0, 0)
        return totals + entries == 0 ? nil : "\(totals) totals of unread messages and \(entries) entries are wrong"
    }

    func close(waits: Bool) {
        let isFirst = jobs.withLock { jobs in
            defer { jobs.end = jobs.end ?? .monotonic + Self.closingTime }
            return jobs.end == nil
        }
        guard isFirst else { return }
        millrace_event_signal(event)
        for reader in readers { reader.close() }
        if waits { _ = isOver.wait(timeout: .now() + .seconds(Int(Self.closingTime.seconds) + 1)) }
    }
}
