import GRDB

/// Tables of a store, and the migrations from older versions.
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

    /// `joined`: no message is missing between this one and the next lower one stored, or there is none below. `newest`: the highest
    /// stored message is the newest of the conversation. `hidden`: value of `place` up to which the conversation is hidden on this
    /// device only.
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

    /// `cleared`: number of the last message that the user deleted. All changes are read once more, because older stores did not keep
    /// it.
    private static let second = """
        ALTER TABLE conversation ADD COLUMN cleared INTEGER NOT NULL DEFAULT 0;
        UPDATE meta SET value = '0' WHERE key = 'cursor';
        """

    /// `hiddenUnread`: number of messages that are unread at the relay and were hidden with the conversation on this device only.
    private static let third = """
        ALTER TABLE conversation ADD COLUMN hiddenUnread INTEGER NOT NULL DEFAULT 0;
        """
}
