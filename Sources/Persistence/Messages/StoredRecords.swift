import Messaging

// Rows of the message store. A statement selects `Record.columns`, whose names are unique over all tables, so that a row of a join
// holds several records.

/// Record that is read from a row.
protocol StoredRecord {
    init(row: some MessageRow) throws
}

/// Returns `names` for a `SELECT` from the table `alias`, each as `alias_name`.
private func selection(_ alias: String, _ names: String...) -> String {
    names.map { "\(alias).\($0 == "user" ? "\"user\"" : $0) AS \(alias)_\($0)" }.joined(separator: ", ")
}

extension UserRecord: StoredRecord {
    static let columns = selection("u", "id", "app", "identity", "name", "created", "tick", "unread", "groups", "acted")

    init(row: some MessageRow) throws {
        self.init(
            id: try row.integer("u_id"),
            key: UserKey(app: try row.text("u_app"), id: try row.text("u_identity")),
            created: try row.integer("u_created"))
        name = try row.text("u_name")
        tick = try row.integer("u_tick")
        totalUnread = try row.count("u_unread")
        groups = try row.count("u_groups")
        hasActed = try row.flag("u_acted")
    }
}

extension ThreadRecord: StoredRecord {
    static let columns = selection(
        "t", "id", "kind", "a", "b", "groupID", "name", "lastNumber", "lastTime", "firstTime", "purge", "dismissed",
        "ended", "creator")

    init(row: some MessageRow) throws {
        let code = try row.integer("t_kind")
        let first = try row.integer("t_a")
        let second = try row.optionalInteger("t_b")
        let group = try row.optionalText("t_groupID")
        let name = try row.optionalText("t_name")
        self.init(
            id: try row.integer("t_id"),
            kind: code == 2 ? .group(id: group ?? "", name: name ?? "", owner: first) : .peers(first, second ?? 0))
        lastNumber = try row.integer("t_lastNumber")
        lastTime = try row.integer("t_lastTime")
        firstTime = try row.optionalInteger("t_firstTime")
        purgeThrough = try row.integer("t_purge")
        isDismissed = try row.flag("t_dismissed")
        endedAt = try row.integer("t_ended")
        creator = try row.integer("t_creator")
    }
}

extension EntryRecord: StoredRecord {
    static let columns = selection(
        "e", "user", "thread", "ord", "change", "unread", "readThrough", "cleared", "muted", "listed", "joined")

    init(row: some MessageRow) throws {
        self.init(user: try row.integer("e_user"), thread: try row.integer("e_thread"))
        order = try row.integer("e_ord")
        change = try row.integer("e_change")
        unread = try row.count("e_unread")
        readThrough = try row.integer("e_readThrough")
        clearedThrough = try row.integer("e_cleared")
        isMuted = try row.flag("e_muted")
        isListed = try row.flag("e_listed")
        joined = try row.integer("e_joined")
    }
}

extension MessageRecord: StoredRecord {
    static let columns = selection("m", "thread", "number", "sender", "client", "text", "time")

    init(row: some MessageRow) throws {
        self.init(
            thread: try row.integer("m_thread"), number: try row.integer("m_number"),
            sender: try row.integer("m_sender"), id: try row.text("m_client"),
            text: try row.body("m_text"), time: try row.integer("m_time"))
    }
}

extension ReceiptRecord: StoredRecord {
    static let columns = selection("r", "sender", "client", "thread", "number", "time", "removed")

    init(row: some MessageRow) throws {
        self.init(
            sender: try row.integer("r_sender"), id: try row.text("r_client"),
            thread: try row.integer("r_thread"), number: try row.integer("r_number"),
            time: try row.integer("r_time"), removed: try row.integer("r_removed"))
    }
}

extension MemberRecord: StoredRecord {
    init(row: some MessageRow) throws { self.init(user: try UserRecord(row: row), entry: try EntryRecord(row: row)) }
}

/// A message and the user `s` who sent it; the user may have been removed.
extension StoredMessage: StoredRecord {
    static let columns = "\(MessageRecord.columns), s.identity AS s_identity"

    init(row: some MessageRow) throws {
        let from = try row.optionalText("s_identity")
        self.init(record: try MessageRecord(row: row), from: from ?? "")
    }
}

/// An entry, its thread, the other user `p` of a one-to-one conversation, and the newest message that the entry's user can see.
extension ListedRecord: StoredRecord {
    static let columns =
        "\(EntryRecord.columns), \(ThreadRecord.columns), \(StoredMessage.columns), p.identity AS p_identity, p.name AS p_name"

    init(row: some MessageRow) throws {
        let identity = try row.optionalText("p_identity")
        let name = try row.optionalText("p_name")
        let sender = try row.optionalInteger("m_sender")
        self.init(
            entry: try EntryRecord(row: row), thread: try ThreadRecord(row: row),
            peer: identity.map { ($0, name ?? "") }, last: sender == nil ? nil : try StoredMessage(row: row))
    }
}
