import Foundation
import Logging
package import Persistence
import ServiceLifecycle

/// Removes old messages while the relay runs, and closes the message store at the end.
package struct MessageService: Service {
    private static let interval = Duration.seconds(60)
    private static let day: Int64 = 86_400_000

    let hub: MessageHub
    /// Database of the hub.
    let database: MessageDatabase
    /// Age in days after which messages are removed; 0: never.
    let retentionDays: Int
    /// Directory of a store that is deleted when the relay exits; nil for a permanent store.
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
        hub.logger.info("message store closed")
    }
}
