import CPQ
import Cluster
import Glibc
import MediaBase

/// Connection to the database, used by one thread.
///
/// libpq's calls that wait for a statement have no time limit, so this type sends a statement and waits for its result itself: a server that
/// is stopped, or whose network is cut, would otherwise delay the thread without end.
final class PostgresConnection {
    /// Time limit of one statement, which is longer than the server's own (`StoreSchema.limits`).
    static let statementTime = MediaTime.seconds(4)
    /// Time after which a waiting thread looks whether the store was closed.
    private static let pollMilliseconds: Int32 = 100

    let library: PostgresLibrary
    let handle: OpaquePointer
    private let isCancelled: () -> Bool
    private var prepared: Set<StoreStatement> = []
    /// State of the pipeline; see `PostgresConnection+Pipeline.swift`.
    var pipeline = PostgresPipeline()

    /// Connects. libpq limits the time for each host of the address (`connect_timeout`).
    init(_ address: PostgresAddress, _ library: PostgresLibrary, isCancelled: @escaping () -> Bool)
        throws(PostgresError)
    {
        let connected = address.withParameters { library.connect($0, $1, 0) }
        guard let connected else { throw PostgresError(.connection, "no memory for a connection") }
        self.library = library
        self.isCancelled = isCancelled
        handle = connected
        guard library.status(connected) == CONNECTION_OK else {
            throw PostgresError(.connection, library.message(connected))
        }
        // A large statement would wait without a time limit for a server that does not read.
        guard library.set_nonblocking(connected, 1) == 0 else {
            throw PostgresError(.connection, library.message(connected))
        }
        // Notices would be written to the standard error stream.
        _ = library.set_notice_processor(connected, { _, _ in }, nil)
    }

    deinit { library.finish(handle) }

    /// Descriptor to wait for, when no statement is under way.
    var socket: Int32 { library.socket(handle) }

    /// Executes statements that are separated by semicolons, as one transaction.
    /// - Returns: the rows of the last one.
    @discardableResult
    func run(script: String) throws(PostgresError) -> PostgresRows {
        guard library.send_query(handle, script) == 1 else { throw lost() }
        return try result()
    }

    /// Executes a statement, which is prepared at its first use.
    func run(_ statement: StoreStatement, _ values: [String?]) throws(PostgresError) -> PostgresRows {
        // A C string would end there, and stand for another value.
        guard values.allSatisfy({ !($0?.utf8.contains(0) ?? false) }) else {
            throw PostgresError(.statement, "a value contains the character U+0000")
        }
        if !prepared.contains(statement) {
            guard library.send_prepare(handle, statement.rawValue, statement.sql, 0, nil) == 1 else { throw lost() }
            _ = try result()
            prepared.insert(statement)
        }
        let texts = CStrings(values)
        let isSent = withExtendedLifetime(texts) {
            library.send_prepared(handle, statement.rawValue, Int32(values.count), texts.pointers, nil, nil, 0) == 1
        }
        guard isSent else { throw lost() }
        return try result()
    }

    /// Sends the rest of a statement, and waits for its results until there are no more.
    private func result() throws(PostgresError) -> PostgresRows {
        let deadline = MediaTime.monotonic + Self.statementTime
        try flush(until: deadline)
        var last: PostgresRows?
        var failure: PostgresError?
        while true {
            while library.is_busy(handle) == 1 { try wait(for: POLLIN, until: deadline) }
            guard let next = library.get_result(handle) else { break }
            let rows = PostgresRows(library, next)
            failure = failure ?? rows.failure
            last = rows
        }
        if let failure { throw library.status(handle) == CONNECTION_OK ? failure : lost(failure) }
        guard let last else { throw lost() }
        return last
    }

    func flush(until deadline: MediaTime) throws(PostgresError) {
        while true {
            switch library.flush(handle) {
            case 0: return
            case 1: try wait(for: POLLIN | POLLOUT, until: deadline)
            default: throw lost()
            }
        }
    }

    /// Waits until the connection is ready, at most for a short time, and receives what has arrived.
    func wait(for events: Int32, until deadline: MediaTime) throws(PostgresError) {
        if isCancelled() { throw PostgresError(.timeLimit, "the store was closed") }
        guard MediaTime.monotonic < deadline else {
            throw PostgresError(.timeLimit, "the database did not answer within \(Self.statementTime)")
        }
        var entry = pollfd(fd: library.socket(handle), events: Int16(events), revents: 0)
        // An interrupted call is repeated by the caller's loop.
        guard poll(&entry, 1, Self.pollMilliseconds) > 0, entry.revents != Int16(POLLOUT) else { return }
        guard library.consume_input(handle) == 1 else { throw lost() }
    }

    func lost(_ failure: PostgresError? = nil) -> PostgresError {
        PostgresError(
            .connection, failure?.reason ?? library.message(handle), state: failure?.state)
    }
}
