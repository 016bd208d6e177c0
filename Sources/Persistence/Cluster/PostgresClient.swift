import Cluster
import MediaBase

/// Connection to the database that is replaced after a failure. Used by one thread.
final class PostgresClient {
    private let address: PostgresAddress
    private let library: PostgresLibrary
    private let settings: ClusterSettings
    private let isCancelled: () -> Bool
    private var connection: PostgresConnection?
    private var delay = ReconnectDelay()
    private var latest = PostgresError(.connection, "not connected")
    /// Number of the latest request.
    private var number: Int64 = 0

    init(
        _ address: PostgresAddress, _ library: PostgresLibrary, _ settings: ClusterSettings,
        isCancelled: @escaping () -> Bool
    ) {
        self.address = address
        self.library = library
        self.settings = settings
        self.isCancelled = isCancelled
    }

    /// Carries a request out, with the present connection or a new one.
    func perform(_ request: StoreRequest) -> Result<StoreAnswer, StoreFailure> {
        // By the clock, so that the numbers of another client in this process, or of a later one, do not begin again at 1.
        number = max(number + 1, MediaTime.monotonic.rawValue)
        do throws(PostgresError) {
            if let connection {
                do throws(PostgresError) {
                    return .success(try perform(request, on: connection))
                } catch {
                    // The connection may have ended long ago without a sign. Each request may be repeated.
                    guard case .connection = error.cause else { throw error }
                }
            }
            return .success(try perform(request, on: connect()))
        } catch {
            return .failure(StoreFailure("database at \(address): \(error.reason)"))
        }
    }

    private func perform(
        _ request: StoreRequest, on connection: PostgresConnection
    ) throws(PostgresError) -> StoreAnswer {
        do {
            return try connection.perform(request, number: number, settings)
        } catch {
            if case .statement = error.cause { throw error }
            self.connection = nil
            throw error
        }
    }

    private func connect() throws(PostgresError) -> PostgresConnection {
        guard delay.isOver(.monotonic) else { throw latest }
        do {
            let new = try PostgresConnection(address, library, isCancelled: isCancelled)
            try new.prepare()
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
