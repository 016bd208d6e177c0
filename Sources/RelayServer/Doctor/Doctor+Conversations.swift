import Cluster
import Persistence

extension Doctor {
    /// Latency above which messages become slow: each takes about seven requests, under a lock of all relays.
    private static let slowConversations = Duration.milliseconds(5)

    /// Checks the PostgreSQL database of conversations, without changing it; nothing without `storage.url`.
    package func conversations() -> [DoctorFinding] {
        guard !configuration.storageURL.isEmpty else { return [] }
        let check = "conversations"
        do throws(StoreFailure) {
            let state = try MessageDatabaseState(url: configuration.storageURL)
            guard state.hasTables || state.allowsTables else {
                return [
                    DoctorFinding(
                        check, .fail, "the database has no tables, and its user may not make them",
                        advice: "grant CREATE on the database to the user of storage.url")
                ]
            }
            let tables = state.hasTables ? "has the tables" : "the relay will make the tables"
            let text = "the database answers in \(Self.text(state.latency)), and \(tables)"
            guard state.latency >= Self.slowConversations else { return [DoctorFinding(check, .ok, text)] }
            return [
                DoctorFinding(
                    check, .warn, text, advice: "move the database closer: each message takes about seven requests")
            ]
        } catch {
            return [
                DoctorFinding(
                    check, .fail, "\(error)",
                    advice: "check storage.url, the database and its user (docs/messages.md)")
            ]
        }
    }
}
