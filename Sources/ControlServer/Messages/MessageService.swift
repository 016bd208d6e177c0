import Foundation
import Logging
package import Persistence
import ServiceLifecycle

/// Keeps the store of conversations tidy while the relay runs, and closes it behind the doors.
package struct MessageService: Service {
    private static let interval = Duration.seconds(60)
    private static let day: Int64 = 86_400_000

    let hub: MessageHub
    /// The hub's.
    let database: MessageDatabase
    /// Messages older than that are removed; 0: none is.
    let retentionDays: Int
    /// Of a store that ends with the relay.
    let temporaryDirectory: String?

    package init(hub: MessageHub, database: MessageDatabase, retentionDays: Int, temporaryDirectory: String? = nil) {
        self.hub = hub
        self.database = database
        self.retentionDays = retentionDays
        self.temporaryDirectory = temporaryDirectory
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let time = retentionDays > 0 ? ControlClock.wall - Int64(retentionDays) * Self.day : nil
                while !Task.isCancelled, await hub.sweep(database, olderThan: time) {
                    try? await Task.sleep(for: MessageHub.pause)
                }
                try? await Task.sleep(for: Self.interval)
            }
        }
        database.close()
        if let temporaryDirectory { try? FileManager.default.removeItem(atPath: temporaryDirectory) }
        hub.logger.info("the store of conversations is closed")
    }
}
