import MediaEngine

/// The division of the process's open files among connections, and media, database and recordings.
///
/// A process without free descriptors does not survive: libdispatch, which runs Swift's tasks, traps once a second when it cannot open a
/// file under `/proc`. So connections get only part of the limit.
struct FileBudget: Sendable, Equatable {
    /// Least number of files that connections never use.
    static let leastReserved = 256
    /// Files of one media worker: five sockets, two pollers, and a spare one.
    static let filesPerWorker = 8
    /// Least number of files for connections that a relay starts with.
    static let leastConnections = 64

    /// Limit that is assumed if the system does not tell it: the usual soft limit.
    static let unknownLimit = 1_024

    /// The process's limit.
    let limit: Int
    /// Files for media, database and recordings.
    let reserved: Int
    /// ICE connections over TCP that each media worker holds at most.
    let mediaConnectionsPerWorker: Int
    /// HTTP connections and WebSockets that the relay holds at most.
    let connections: Int
    /// Connections that one address may hold.
    let connectionsPerAddress: Int

    /// Lowest descriptor that no accepted connection may have. Descriptors are given out lowest first, so a connection with this number
    /// or a higher one means that something else has used up more than half of the reserve.
    var ceiling: Int { limit - reserved / 2 }

    /// - Parameters:
    ///   - limit: open files that the process may have.
    ///   - configuration: workers, and connections that are wanted.
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
        // An explicit number is not cut to `connections`: a batch of accepts may go past these by a few, which then have to be served.
        connectionsPerAddress = wanted == 0 ? max(1, connections / 4) : wanted
    }
}
