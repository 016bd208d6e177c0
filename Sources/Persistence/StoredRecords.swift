import Foundation
package import GRDB
package import Messaging

// Rows of the message store. A statement selects `Record.columns`, whose names are unique over all tables, so that a row of a join
// holds several records. Columns are read with `decode`, which throws on wrong types, so that a damaged file cannot cause a trap.

/// Returns `names` for a `SELECT` from the table `alias`, each as `alias_name`.
private func selection(_ alias: String, _ names: String...) -> String {
    names.map { "\(alias).\($0) AS \(alias)_\($0)" }.joined(separator: ", ")
}

extension UserRecord: FetchableRecord {
    static let columns = selection("u", "id", "app", "identity", "name", "created", "tick", "unread", "groups", "acted")

    package init(row: Row) throws {
        self.init(
            id: try row.decode(forColumn: "u_id"),
            key: UserKey(app: try row.decode(forColumn: "u_app"), id: try row.decode(forColumn: "u_identity")),
            created: try row.decode(forColumn: "u_created"))
        name = try row.decode(forColumn: "u_name")
        tick = try row.decode(forColumn: "u_tick")
        totalUnread = try row.decode(forColumn: "u_unread")
        groups = try row.decode(forColumn: "u_groups")
        hasActed = try row.decode(forColumn: "u_acted")
    }
}

extension ThreadRecord: FetchableRecord {
    static let columns = selection(
        "t", "id", "kind", "a", "b", "groupID", "name", "lastNumber", "lastTime", "firstTime", "purge", "dismissed",
        "ended", "creator")

    package init(row: Row) throws {
        let code: Int = try row.decode(forColumn: "t_kind")
        let first: Int64 = try row.decode(forColumn: "t_a")
        let second: Int64? = try row.decode(forColumn: "t_b")
        let group: String? = try row.decode(forColumn: "t_groupID")
        let name: String? = try row.decode(forColumn: "t_name")
        self.init(
            id: try row.decode(forColumn: "t_id"),
            kind: code == 2 ? .group(id: group ?? "", name: name ?? "", owner: first) : .peers(first, second ?? 0))
        lastNumber = try row.decode(forColumn: "t_lastNumber")
        lastTime = try row.decode(forColumn: "t_lastTime")
        firstTime = try row.decode(forColumn: "t_firstTime")
        purgeThrough = try row.decode(forColumn: "t_purge")
        isDismissed = try row.decode(forColumn: "t_dismissed")
        endedAt = try row.decode(forColumn: "t_ended")
        creator = try row.decode(forColumn: "t_creator")
    }
}

extension EntryRecord: FetchableRecord {
    static let columns = selection(
        "e", "user", "thread", "ord", "change", "unread", "readThrough", "cleared", "muted", "listed", "joined")

    package init(row: Row) throws {
        self.init(user: try row.decode(forColumn: "e_user"), thread: try row.decode(forColumn: "e_thread"))
        order = try row.decode(forColumn: "e_ord")
        change = try row.decode(forColumn: "e_change")
        unread = try row.decode(forColumn: "e_unread")
        readThrough = try row.decode(forColumn: "e_readThrough")
        clearedThrough = try row.decode(forColumn: "e_cleared")
        isMuted = try row.decode(forColumn: "e_muted")
        isListed = try row.decode(forColumn: "e_listed")
        joined = try row.decode(forColumn: "e_joined")
    }
}

extension MessageRecord: FetchableRecord {
    static let columns = selection("m", "thread", "number", "sender", "client", "text", "time")

    package init(row: Row) throws {
        let text: Data = try row.decode(forColumn: "m_text")
        self.init(
            thread: try row.decode(forColumn: "m_thread"), number: try row.decode(forColumn: "m_number"),
            sender: try row.decode(forColumn: "m_sender"), id: try row.decode(forColumn: "m_client"),
            text: String(decoding: text, as: UTF8.self), time: try row.decode(forColumn: "m_time"))
    }
}

extension ReceiptRecord: FetchableRecord {
    static let columns = selection("r", "sender", "client", "thread", "number", "time", "removed")

    package init(row: Row) throws {
        self.init(
            sender: try row.decode(forColumn: "r_sender"), id: try row.decode(forColumn: "r_client"),
            thread: try row.decode(forColumn: "r_thread"), number: try row.decode(forColumn: "r_number"),
            time: try row.decode(forColumn: "r_time"), removed: try row.decode(forColumn: "r_removed"))
    }
}

extension MemberRecord: FetchableRecord {
    package init(row: Row) throws { self.init(user: try UserRecord(row: row), entry: try EntryRecord(row: row)) }
}

/// A message and the user `s` who sent it; the user may have been removed.
extension StoredMessage: FetchableRecord {
    static let columns = "\(MessageRecord.columns), s.identity AS s_identity"

    package init(row: Row) throws {
        let from: String? = try row.decode(forColumn: "s_identity")
        self.init(record: try MessageRecord(row: row), from: from ?? "")
    }
}

/// An entry, its thread, the other user `p` of a one-to-one conversation, and the newest message that the entry's user can see.
extension ListedRecord: FetchableRecord {
    static let columns =
        "\(EntryRecord.columns), \(ThreadRecord.columns), \(StoredMessage.columns), p.identity AS p_identity, p.name AS p_name"

    package init(row: Row) throws {
        let identity: String? = try row.decode(forColumn: "p_identity")
        let name: String? = try row.decode(forColumn: "p_name")
        let sender: Int64? = try row.decode(forColumn: "m_sender")
        self.init(
            entry: try EntryRecord(row: row), thread: try ThreadRecord(row: row),
            peer: identity.map { ($0, name ?? "") }, last: sender == nil ? nil : try StoredMessage(row: row))
    }
}
