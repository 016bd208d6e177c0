import Persistence

/// The part of `/metrics` about conversations and their store.
struct MessageMetrics {
    let hub: MessageHub

    func add(to text: inout PrometheusText) {
        let counts = hub.counts
        text.family("millrace_storage_up", .gauge, "1 if the message store is open; no sample without a store")
        switch hub.storage {
        case .open: text.sample(1)
        case .failed: text.sample(0)
        case .disabled: return
        }
        text.single(
            "millrace_message_users", .gauge, "Users with a connection that receives their conversation events",
            counts.users)
        text.single(
            "millrace_message_connections", .gauge, "Connections that receive conversation events", counts.sockets)
        text.single(
            "millrace_messages_stored_total", .counter, "Messages answered as stored, repetitions included",
            counts.messages)
        text.single(
            "millrace_message_events_total", .counter, "Conversation events passed to connections", counts.events)
        text.single(
            "millrace_message_slow_connections_total", .counter, "Connections closed because they did not read",
            counts.slowSockets)
        text.single(
            "millrace_message_missed_connections_total", .counter,
            "Connections closed because events of other relays were missed", counts.endedLogins)
        guard case .open(let database) = hub.storage else { return }
        storage(database, &text)
    }

    private func storage(_ database: MessageDatabase, _ text: inout PrometheusText) {
        let statistics = database.statistics
        text.single(
            "millrace_storage_bytes", .gauge, "Size of the database in bytes, with its log if it is a file",
            database.bytes)
        text.single(
            "millrace_storage_commands_total", .counter, "Commands carried out by the store", statistics.commands)
        text.single(
            "millrace_storage_commits_total", .counter, "Commits; one may contain many commands", statistics.commits)
        text.single("millrace_storage_waiting", .gauge, "Commands that wait for their commit", statistics.waiting)
        text.single(
            "millrace_storage_longest_commit_seconds", .gauge, "Longest commit so far in seconds",
            statistics.longestCommit)
        text.single(
            "millrace_storage_removed_messages_total", .counter, "Messages removed as too old or visible to no one",
            statistics.removedMessages)
        text.family(
            "millrace_storage_failures_total", .counter,
            "Failed reads, commits and log checkpoints, by cause")
        for kind in StorageError.Kind.allCases {
            text.sample(statistics.failures[kind] ?? 0, ["cause": kind.rawValue])
        }
    }
}
