import MediaBase

/// Connection to the database that is replaced after a failure. Used by one thread.
final class PostgresClient {
    typealias Preparation = @Sendable (PostgresConnection) throws(PostgresError) -> Void

    private let address: PostgresAddress
    private let library: PostgresLibrary
    private let isCancelled: () -> Bool
    private let prepare: Preparation
    private(set) var connection: PostgresConnection?
    private var delay = ReconnectDelay()
    private var latest = PostgresError(.connection, "not connected")

    /// - Parameter prepare: called with each new connection.
    init(
        _ address: PostgresAddress, _ library: PostgresLibrary, isCancelled: @escaping () -> Bool,
        prepare: @escaping Preparation
    ) {
        self.address = address
        self.library = library
        self.isCancelled = isCancelled
        self.prepare = prepare
    }

    /// Calls `body` with the present connection or a new one. It is called again with a new one if the present one was lost.
    func run<Answer>(_ body: (PostgresConnection) throws -> Answer) throws -> Answer {
        do {
            if let connection {
                do {
                    return try attempt(body, connection)
                } catch let error as PostgresError {
                    // The connection may have ended long ago without a sign. Each request may be repeated.
                    guard case .connection = error.cause else { throw error }
                }
            }
            return try attempt(body, connect())
        } catch let error as PostgresError {
            throw PostgresError(
                error.cause, "database at \(address): \(error.reason)", state: error.state,
                isOfVersion: error.isOfVersion)
        }
    }

    /// Ends the connection. The next call of `run` makes a new one.
    func drop() { connection = nil }

    private func attempt<Answer>(
        _ body: (PostgresConnection) throws -> Answer, _ connection: PostgresConnection
    ) throws -> Answer {
        do {
            return try body(connection)
        } catch let error as PostgresError {
            if case .statement = error.cause { throw error }
            self.connection = nil
            throw error
        }
    }

    private func connect() throws(PostgresError) -> PostgresConnection {
        guard delay.isOver(.monotonic) else { throw latest }
        do {
            let new = try PostgresConnection(address, library, isCancelled: isCancelled)
            try prepare(new)
            delay.noteSuccess()
            connection = new
            return new
        } catch {
            latest = error
            delay.noteFailure(.monotonic)
            throw error
        }
    }
}
