/// Tables of the cluster's store, and their version.
enum StoreSchema {
    static let version: Int64 = 1

    /// Limits of the server in milliseconds: a statement or lock of a lost relay does not delay the others for longer.
    static let limits = """
        SET statement_timeout = 3000; SET lock_timeout = 2000; SET idle_in_transaction_session_timeout = 5000
        """

    static let readVersion = "SELECT version FROM millrace_store"

    /// Makes the tables that are missing. The lock is needed because `CREATE TABLE IF NOT EXISTS` fails if two relays do it at once. The
    /// columns that each heartbeat changes are in no index, and pages have room for their new versions, so that a heartbeat changes one page.
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
        INSERT INTO millrace_store (version, incarnation) VALUES (\(version), 0) ON CONFLICT DO NOTHING
        """

    /// Number of the advisory lock: "millrace" in ASCII.
    private static let lock: Int64 = 0x6d69_6c6c_7261_6365
}
