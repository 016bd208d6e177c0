package import Cluster

/// Store of a cluster in a PostgreSQL database.
///
/// Heartbeats have a thread and a connection of their own, so that they never wait behind other requests. So have saves, which are the largest
/// requests: claims do not wait behind them.
package final class PostgresClusterStore: ClusterStore {
    /// Maximum number of requests that wait for a connection; further ones fail at once.
    package static let maximumRequests = 1_024

    private let beats: PostgresLane
    private let saves: PostgresLane
    private let others: PostgresLane

    /// Prepares the connections, which the first requests open.
    /// - Parameter url: connection URI of libpq, such as `postgres://user:password@db1,db2/millrace`.
    /// - Throws: `StoreFailure` if the URI is faulty, or if libpq is not installed. No failure contains the password.
    package init(
        url: String, settings: ClusterSettings, maximumRequests: Int = maximumRequests
    ) throws(StoreFailure) {
        let library = try PostgresLibrary.shared.get()
        let address = try PostgresAddress(url, library)
        beats = PostgresLane(name: "store-beats", address, library, settings, maximumRequests: maximumRequests)
        saves = PostgresLane(name: "store-saves", address, library, settings, maximumRequests: maximumRequests)
        others = PostgresLane(name: "store", address, library, settings, maximumRequests: maximumRequests)
    }

    deinit { close() }

    package func perform(_ request: StoreRequest) async throws(StoreFailure) -> StoreAnswer {
        switch request {
        case .register, .beat, .leave: try await beats.perform(request)
        case .save: try await saves.perform(request)
        case .claim, .takeOver, .held, .end, .find, .lookup, .load, .list: try await others.perform(request)
        }
    }

    /// Ends the connections. Requests that were not answered fail.
    package func close() {
        beats.close()
        saves.close()
        others.close()
    }
}
