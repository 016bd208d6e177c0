import GRDB

/// Tables of conversations and their migrations. A released migration is never changed.
enum MessageSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 conversations") { db in
            try db.execute(sql: tables)
            try db.execute(sql: indexes)
            try db.execute(sql: "INSERT INTO meta (key, value) VALUES ('store', lower(hex(randomblob(8))))")
        }
        migrator.registerMigration("2 receipts and makers of groups") { db in try db.execute(sql: receipts) }
        return migrator
    }

    /// Texts are blobs, because they may contain any character, including U+0000.
    private static let tables = """
        CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE user (
            id INTEGER PRIMARY KEY, app TEXT NOT NULL, identity TEXT NOT NULL, name TEXT NOT NULL,
            created INTEGER NOT NULL, tick INTEGER NOT NULL, unread INTEGER NOT NULL, groups INTEGER NOT NULL,
            UNIQUE (app, identity));
        CREATE TABLE thread (
            id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, a INTEGER NOT NULL, b INTEGER, groupID TEXT, name TEXT,
            lastNumber INTEGER NOT NULL, lastTime INTEGER NOT NULL, firstTime INTEGER, purge INTEGER NOT NULL,
            dismissed INTEGER NOT NULL);
        CREATE TABLE entry (
            user INTEGER NOT NULL, thread INTEGER NOT NULL, ord INTEGER NOT NULL, change INTEGER NOT NULL,
            unread INTEGER NOT NULL, readThrough INTEGER NOT NULL, cleared INTEGER NOT NULL, muted INTEGER NOT NULL,
            listed INTEGER NOT NULL, joined INTEGER NOT NULL, PRIMARY KEY (user, thread)) WITHOUT ROWID;
        CREATE TABLE message (
            thread INTEGER NOT NULL, number INTEGER NOT NULL, sender INTEGER NOT NULL, client TEXT NOT NULL,
            text BLOB NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (thread, number)) WITHOUT ROWID;
        """

    private static let indexes = """
        CREATE UNIQUE INDEX thread_peers ON thread (a, b) WHERE kind = 0;
        CREATE UNIQUE INDEX thread_group ON thread (groupID) WHERE kind = 2;
        CREATE INDEX thread_second ON thread (b) WHERE kind = 0;
        CREATE INDEX thread_age ON thread (firstTime) WHERE firstTime IS NOT NULL;
        CREATE INDEX thread_purge ON thread (purge) WHERE purge > 0;
        CREATE INDEX entry_list ON entry (user, ord) WHERE listed = 1;
        CREATE INDEX entry_change ON entry (user, change);
        CREATE INDEX entry_members ON entry (thread, joined) WHERE joined > 0;
        CREATE UNIQUE INDEX message_client ON message (sender, client);
        """

    /// Existing users count as having acted; existing dismissed groups count as dismissed at the time of the migration.
    private static let receipts = """
        CREATE TABLE receipt (
            sender INTEGER NOT NULL, client TEXT NOT NULL, thread INTEGER NOT NULL, number INTEGER NOT NULL,
            time INTEGER NOT NULL, removed INTEGER NOT NULL, PRIMARY KEY (sender, client)) WITHOUT ROWID;
        CREATE INDEX receipt_removed ON receipt (removed);
        ALTER TABLE user ADD COLUMN acted INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE thread ADD COLUMN ended INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE thread ADD COLUMN creator INTEGER NOT NULL DEFAULT 0;
        UPDATE thread SET creator = a WHERE kind = 2;
        UPDATE thread SET ended = CAST(strftime('%s', 'now') AS INTEGER) * 1000, purge = max(lastNumber, 1)
            WHERE dismissed = 1;
        CREATE INDEX thread_ended ON thread (ended) WHERE ended > 0;
        CREATE INDEX thread_creator ON thread (creator) WHERE creator > 0;
        CREATE INDEX entry_left ON entry (thread) WHERE joined = 0;
        """
}
