import GRDB

/// The tables of a store, and how older ones become those.
enum ConversationSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(sql: first)
        }
        migrator.registerMigration("2") { db in
            try db.execute(sql: second)
        }
        migrator.registerMigration("3") { db in
            try db.execute(sql: third)
        }
        return migrator
    }

    /// `joined`: the message right before this one is the next lower one here, or there is none. `newest`: the highest message here is
    /// the newest there is. `hidden`: taken off the list on this device alone, up to that place in the order.
    private static let first = """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE conversation (
            type INTEGER NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, unread INTEGER NOT NULL,
            lastMessage TEXT, place INTEGER NOT NULL, change INTEGER NOT NULL, notification INTEGER NOT NULL,
            listed INTEGER NOT NULL DEFAULT 1, hidden INTEGER NOT NULL DEFAULT -1, newest INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (type, id)) WITHOUT ROWID;
        CREATE INDEX conversationPlace ON conversation (place);
        CREATE TABLE message (
            type INTEGER NOT NULL, conversation TEXT NOT NULL, number INTEGER NOT NULL, id TEXT NOT NULL,
            sender TEXT NOT NULL, text TEXT NOT NULL, time INTEGER NOT NULL, joined INTEGER NOT NULL,
            PRIMARY KEY (type, conversation, number)) WITHOUT ROWID;
        CREATE TABLE outgoing (
            turn INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, type INTEGER NOT NULL,
            conversation TEXT NOT NULL, text TEXT NOT NULL, time INTEGER NOT NULL);
        """

    /// `cleared`: number of the last message that the user deleted. All changes are read once more, as older stores did not keep it.
    private static let second = """
        ALTER TABLE conversation ADD COLUMN cleared INTEGER NOT NULL DEFAULT 0;
        UPDATE meta SET value = '0' WHERE key = 'cursor';
        """

    /// `hiddenUnread`: messages that are unread at the relay and were deleted with the conversation on this device alone.
    private static let third = """
        ALTER TABLE conversation ADD COLUMN hiddenUnread INTEGER NOT NULL DEFAULT 0;
        """
}
