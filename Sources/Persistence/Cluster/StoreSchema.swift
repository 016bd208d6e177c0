/// Tables of the cluster's store, and their version.
enum StoreSchema {
    static let version: Int64 = 2

    /// Limits of the server in milliseconds: a statement or lock of a lost relay does not delay the others for longer.
    static let limits = """
        SET statement_timeout = 3000; SET lock_timeout = 2000; SET idle_in_transaction_session_timeout = 5000
        """

    static let readVersion = "SELECT version FROM millrace_store"

    /// Makes the tables that are missing, and brings those of version 1 up to date. The lock is needed because `CREATE TABLE IF NOT EXISTS` fails
    /// if two relays do it at once. The columns that each heartbeat changes are in no index, and pages have room for their new versions, so that
    /// a heartbeat changes one page. Relays of version 1 that are connected continue to work: their statements name the columns.
    static let creation = """
        SELECT pg_advisory_xact_lock(\(lock));
        CREATE TABLE IF NOT EXISTS millrace_store (
            single boolean PRIMARY KEY DEFAULT true CHECK (single), version bigint NOT NULL,
            incarnation bigint NOT NULL);
        CREATE TABLE IF NOT EXISTS millrace_relay (
            id text COLLATE "C" PRIMARY KEY, incarnation bigint NOT NULL, link text NOT NULL, fingerprint text NOT NULL,
            region text NOT NULL, version text NOT NULL, link_version bigint NOT NULL, use double precision NOT NULL,
            draining boolean NOT NULL, beat timestamptz NOT NULL, expires timestamptz NOT NULL) WITH (fillfactor = 50);
        CREATE TABLE IF NOT EXISTS millrace_session (
            app text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL UNIQUE,
            home text COLLATE "C" NOT NULL, incarnation bigint NOT NULL, term bigint NOT NULL, PRIMARY KEY (app, name));
        CREATE INDEX IF NOT EXISTS millrace_session_home ON millrace_session (home, incarnation);
        INSERT INTO millrace_store (version, incarnation) VALUES (1, 0) ON CONFLICT DO NOTHING;
        DO $$ BEGIN
            IF (SELECT version = 1 FROM millrace_store) THEN
                \(stateOfSessions)
                UPDATE millrace_store SET version = 2;
            END IF;
        END $$
        """

    /// Difference between the versions 1 and 2. A relay of version 1 may have written that version into the tables of version 2 after a loss of
    /// their rows, so the tables can be there.
    ///
    /// The parameters of `millrace_save` are those of `StoreStatement.save`. Each statement of a function sees what was committed before it began.
    /// The first one waits for the row's lock, so the others see the seats of all earlier saves; parts of a single statement would not.
    private static let stateOfSessions = """
        ALTER TABLE millrace_session ADD COLUMN IF NOT EXISTS essence text,
            ADD COLUMN IF NOT EXISTS save bigint NOT NULL DEFAULT 0;
        CREATE TABLE IF NOT EXISTS millrace_seat (
            session text COLLATE "C" REFERENCES millrace_session (id) ON DELETE CASCADE,
            connection text COLLATE "C", state text NOT NULL, PRIMARY KEY (session, connection));
        CREATE OR REPLACE FUNCTION millrace_save(text, text, bigint, bigint, bigint, text, json, json)
        RETURNS boolean LANGUAGE plpgsql AS $save$ BEGIN
            UPDATE millrace_session s SET essence = coalesce($6, s.essence), save = $5
            WHERE s.id = $1 AND s.home = $2 AND s.incarnation = $3 AND s.term = $4 AND s.save <= $5;
            IF NOT FOUND THEN RETURN false; END IF;
            DELETE FROM millrace_seat t USING json_array_elements_text($7) AS removed (connection)
            WHERE t.session = $1 AND t.connection = removed.connection;
            INSERT INTO millrace_seat AS t (session, connection, state)
            SELECT $1, changed.key, changed.value FROM json_each_text($8) AS changed
            ON CONFLICT (session, connection) DO UPDATE SET state = excluded.state;
            RETURN true;
        END $save$;
        """

    /// Number of the advisory lock: "millrace" in ASCII.
    private static let lock: Int64 = 0x6d69_6c6c_7261_6365
}
