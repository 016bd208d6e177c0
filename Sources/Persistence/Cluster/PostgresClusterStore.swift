package import Cluster

/// Store of a cluster in a PostgreSQL database.
///
/// Heartbeats have a thread and a connection of their own, so that they never wait behind other requests. So have saves, which are the largest
/// requests: claims do not wait behind them.
package final class PostgresClusterStore: ClusterStore {
    /// Maximum number of requests that wait for a connection; further ones fail at once.
    package static let maximumRequests = 1_024

    private typealias Lane = PostgresLane<StoreRequest, StoreAnswer>

    private let beats: Lane
    private let saves: Lane
    private let others: Lane

    /// Prepares the connections, which the first requests open.
    /// - Parameter url: connection URI of libpq, such as `postgres://user:password@db1,db2/millrace`.
    /// - Throws: `StoreFailure` if the URI is faulty, or if libpq is not installed. No failure contains the password.
    package init(
        url: String, settings: ClusterSettings, maximumRequests: Int = maximumRequests
    ) throws(StoreFailure) {
        let library = try PostgresLibrary.shared.get()
        let address = try PostgresAddress(url, library)
        func lane(_ name: String) -> Lane {
            Lane(name: name, address, library, maximumRequests: maximumRequests) { connection throws(PostgresError) in
                try connection.prepare()
            } work: { connection, request, number in
                try connection.perform(request, number: number, settings)
            }
        }
        beats = lane("store-beats")
        saves = lane("store-saves")
        others = lane("store")
    }

    deinit { close() }

    package func perform(_ request: StoreRequest) async throws(StoreFailure) -> StoreAnswer {
        let lane =
            switch request {
            case .register, .beat, .leave: beats
            case .save: saves
            case .claim, .takeOver, .held, .end, .find, .lookup, .load, .list: others
            }
        do {
            return try await lane.perform(request)
        } catch let error as StoreFailure {
            throw error
        } catch let error as PostgresError {
            throw StoreFailure(error.reason)
        } catch {
            throw StoreFailure("\(type(of: error))")
        }
    }

    /// Ends the connections. Requests that were not answered fail.
    package func close() {
        beats.close()
        saves.close()
        others.close()
    }
}
