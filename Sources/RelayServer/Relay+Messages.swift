import ControlServer
import Foundation
import Logging
import Messaging
import Persistence

extension Relay {
    /// Makes the hub of conversations, and the service that maintains their store.
    func messages(statistics: ControlStatistics) throws(RelayError) -> (MessageHub, MessageService?) {
        // The relays of a cluster do not share conversations yet.
        let isTemporary =
            configuration.storageDirectory.isEmpty && configuration.development && configuration.clusterURL.isEmpty
        let directory =
            isTemporary
            ? NSTemporaryDirectory() + "millrace-messages-\(UUID().uuidString)" : configuration.storageDirectory
        let hub = MessageHub(
            try storage(in: directory), configuration: configuration.messages, statistics: statistics, logger: logger)
        guard case .open(let database) = hub.storage else { return (hub, nil) }
        let service = MessageService(
            hub: hub, database: database, retentionDays: configuration.messagesRetentionDays,
            temporaryDirectory: isTemporary ? directory : nil)
        return (hub, service)
    }

    /// Opens the store of conversations. If that fails, the relay runs without conversations or does not start,
    /// depending on `storageRequired`.
    private func storage(in directory: String) throws(RelayError) -> MessageHub.Storage {
        guard !directory.isEmpty else { return .disabled }
        let storage = configuration.storage(in: directory)
        do {
            let database = try MessageDatabase(storage, limits: configuration.messages.limits) {
                Int64(Date().timeIntervalSince1970 * 1_000)
            }
            logger.info(
                "conversations are stored",
                metadata: ["file": "\(storage.databasePath)", "bytes": "\(database.bytes)"])
            return .open(database)
        } catch {
            guard !configuration.storageRequired else {
                throw .storage(path: directory, reason: error.detail, advice: error.advice)
            }
            logger.critical(
                "the relay runs WITHOUT conversations: their database cannot be opened; nothing in it was changed",
                metadata: [
                    "directory": "\(directory)", "kind": "\(error.kind.rawValue)", "detail": "\(error.detail)",
                    "advice": "\(error.advice)",
                ])
            return .failed(error)
        }
    }
}
