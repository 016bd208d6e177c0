import MediaEngine

/// The division of the process's open files between connections and everything else: media, database and recordings.
///
/// A process without free descriptors crashes: libdispatch, which runs Swift's tasks, traps if it cannot open a file
/// under `/proc`, which it does once a second. Therefore connections get only part of the limit.
/// file under `/proc`. So connections get only part of the limit.
struct FileBudget: Sendable, Equatable {
    /// Minimum number of files that connections never use.
    static let leastReserved = 256
    /// Files of one media worker: five sockets, two pollers and one spare.
    static let filesPerWorker = 8
    /// Minimum number of files for connections; the relay does not start with fewer.
    static let leastConnections = 64

    /// Assumed limit if the system does not report it: the usual soft limit.
    static let unknownLimit = 1_024

    /// Limit of the process.
    let limit: Int
    /// Files for media, database and recordings.
    let reserved: Int
    /// Maximum number of ICE connections over TCP of each media worker.
    let mediaConnectionsPerWorker: Int
    /// Maximum number of HTTP connections and WebSockets.
    let connections: Int
    /// Maximum number of connections of one address.
    let connectionsPerAddress: Int

    /// Lowest descriptor that an accepted connection may not have. Descriptors are assigned lowest first, so a
    /// connection with this number or a higher one means that other files have used more than half of the reserve.
    var ceiling: Int { limit - reserved / 2 }

    /// - Parameters:
    ///   - limit: open files that the process may have.
    ///   - configuration: number of workers and requested number of connections.
    /// - Throws: `openFiles` if fewer than `leastConnections` files are left for connections.
    init(limit: Int, configuration: RelayConfiguration) throws(RelayError) {
        let workers = configuration.mediaWorkers
        let reserved = max(Self.leastReserved, limit / 4, Self.leastReserved / 2 + workers * Self.filesPerWorker)
        let available = limit - reserved
        guard available >= Self.leastConnections else {
            throw .openFiles(limit: limit, needed: reserved + Self.leastConnections)
        }
        let mediaConnectionsPerWorker =
            configuration.webRTCTCP ? max(1, min(StreamLimits().connections, available / 4 / workers)) : 0
        self.limit = limit
        self.reserved = reserved
        self.mediaConnectionsPerWorker = mediaConnectionsPerWorker
        connections = max(
            1, min(configuration.httpConnections, available - mediaConnectionsPerWorker * workers))
        let wanted = configuration.httpConnectionsPerAddress
        // An explicit number is not limited to `connections`: a batch of accepts may exceed these by a few, which still
        // have to be served.
        connectionsPerAddress = wanted == 0 ? max(1, connections / 4) : wanted
    }
}
