import ControlServer
import Foundation
import Logging
import Messaging
import Persistence

extension Relay {
    /// Makes the hub of conversations, and the service that maintains their store.
    func messages(statistics: ControlStatistics) throws(RelayError) -> (MessageHub, MessageService?) {
        let isTemporary =
            configuration.storageDirectory.isEmpty && configuration.storageURL.isEmpty && configuration.development
            && configuration.clusterURL.isEmpty
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
        guard configuration.storageURL.isEmpty else { return try storage(at: configuration.storageURL) }
        guard !directory.isEmpty else { return .disabled }
        do throws(StorageError) {
            let database = try open(.directory(directory))
            logger.info(
                "conversations are stored", metadata: ["directory": "\(directory)", "bytes": "\(database.bytes)"])
            return .open(database)
        } catch {
            return try withoutStorage(directory, error)
        }
    }

    /// Opens a store that other relays may use as well. If its database cannot be reached, the relay starts without waiting for it.
    private func storage(at url: String) throws(RelayError) -> MessageHub.Storage {
        do throws(StorageError) {
            let database = try open(.url(url))
            do throws(StorageError) {
                try database.probe()
            } catch {
                guard [.unreachable, .locked].contains(error.kind), !configuration.storageRequired else {
                    database.close()
                    throw error
                }
                logger.error(
                    "the database of conversations cannot be reached yet",
                    metadata: ["detail": "\(error.detail)", "advice": "\(error.advice)"])
                return .open(database)
            }
            logger.info("conversations are stored in the database of storage.url")
            return .open(database)
        } catch {
            return try withoutStorage("the database of storage.url", error)
        }
    }

    private func open(_ location: StorageConfiguration.Location) throws(StorageError) -> MessageDatabase {
        try MessageDatabase(configuration.storage(at: location), limits: configuration.messages.limits) {
            Int64(Date().timeIntervalSince1970 * 1_000)
        }
    }

    private func withoutStorage(_ location: String, _ error: StorageError) throws(RelayError) -> MessageHub.Storage {
        guard !configuration.storageRequired else {
            throw .storage(path: location, reason: error.detail, advice: error.advice)
        }
        logger.critical(
            "the relay runs WITHOUT conversations: their database cannot be opened; nothing in it was changed",
            metadata: [
                "location": "\(location)", "kind": "\(error.kind.rawValue)", "detail": "\(error.detail)",
                "advice": "\(error.advice)",
            ])
        return .failed(error)
    }
}
