/// Prepared statement of the cluster's store. Only the clock of the database counts: `now()` is the start of the statement.
///
/// The comments give the parameters.
enum StoreStatement: String {
    /// id, link, fingerprint, region, version, link version, use, draining, lease in microseconds
    case register
    /// id, incarnation, use, draining, lease in microseconds
    case beat
    /// id, incarnation
    case leave
    case relays
    /// id, incarnation
    case member
    /// app, name
    case placement
    /// app, name, id, home, incarnation, term
    case insert
    /// app, name, home, incarnation, minimum term, and the previous home, incarnation and term; time in microseconds after which silent
    /// relays do not count
    case takeOver
    /// home, incarnation
    case held
    /// id, home, incarnation, term
    case end
    /// id, home, incarnation, term, number of the request, essence or null, JSON array of the removed seats, JSON object of the changed seats
    case save
    /// id, home, incarnation, term
    case load
    /// id
    case find
    /// maximum number of rows
    case sessions

    var sql: String {
        switch self {
        case .register:
            // Incarnations are numbered across all relays, from the time on, so that they grow also if a relay's row or all data was lost.
            """
            WITH next AS (
                INSERT INTO millrace_store (version, incarnation) VALUES (\(StoreSchema.version), \(Self.microseconds))
                ON CONFLICT (single) DO UPDATE
                SET incarnation = greatest(millrace_store.incarnation + 1, \(Self.microseconds))
                RETURNING incarnation)
            INSERT INTO millrace_relay
                (id, incarnation, link, fingerprint, region, version, link_version, use, draining, beat, expires)
            SELECT $1, incarnation, $2, $3, $4, $5, $6::bigint, $7::double precision, $8::boolean, now(),
                now() + $9::bigint * interval '1 microsecond'
            FROM next
            ON CONFLICT (id) DO UPDATE SET incarnation = excluded.incarnation, link = excluded.link,
                fingerprint = excluded.fingerprint, region = excluded.region, version = excluded.version,
                link_version = excluded.link_version, use = excluded.use, draining = excluded.draining,
                beat = excluded.beat, expires = excluded.expires
            RETURNING incarnation
            """
        case .beat:
            // The first column tells the renewed row. If there is none, the caller's id has another incarnation or no row.
            """
            WITH beaten AS (
                UPDATE millrace_relay SET use = $3::double precision, draining = $4::boolean, beat = now(),
                    expires = now() + $5::bigint * interval '1 microsecond'
                WHERE id = $1 AND incarnation = $2::bigint
                RETURNING *)
            SELECT true, \(Self.relayColumns) FROM beaten
            UNION ALL
            SELECT false, \(Self.relayColumns) FROM millrace_relay
            WHERE id <> $1 OR NOT EXISTS (SELECT FROM beaten)
            ORDER BY id
            """
        case .leave: "DELETE FROM millrace_relay WHERE id = $1 AND incarnation = $2::bigint"
        case .relays: "SELECT false, \(Self.relayColumns) FROM millrace_relay ORDER BY id"
        case .member: "SELECT id FROM millrace_relay WHERE id = $1 AND incarnation = $2::bigint"
        case .placement: "SELECT \(Self.sessionColumns) FROM millrace_session s WHERE app = $1 AND name = $2"
        case .insert:
            """
            INSERT INTO millrace_session AS s (app, name, id, home, incarnation, term)
            SELECT $1, $2, $3, $4, $5::bigint, $6::bigint
            WHERE EXISTS (SELECT FROM millrace_relay WHERE id = $4 AND incarnation = $5::bigint)
            ON CONFLICT (app, name) DO NOTHING
            RETURNING \(Self.sessionColumns)
            """
        case .takeOver:
            // The row must be the one that the caller has read, because a home relay that registered since then is not visible to this
            // statement. `FOR SHARE` reads the newest lease of the previous home and delays its heartbeats until the commit: otherwise
            // a late heartbeat could be answered, and the session taken over nevertheless.
            """
            UPDATE millrace_session s SET home = $3, incarnation = $4::bigint, term = greatest($5::bigint, s.term + 1),
                save = 0
            WHERE app = $1 AND name = $2 AND s.home = $6 AND s.incarnation = $7::bigint AND s.term = $8::bigint
            AND EXISTS (SELECT FROM millrace_relay WHERE id = $3 AND incarnation = $4::bigint)
            AND (SELECT 2 * count(*) FILTER (WHERE expires > now()) >= count(*) FROM millrace_relay
                WHERE beat > now() - $9::bigint * interval '1 microsecond')
            AND coalesce((SELECT r.expires FROM millrace_relay r
                WHERE r.id = s.home AND r.incarnation = s.incarnation FOR SHARE) <= now(), true)
            RETURNING \(Self.sessionColumns)
            """
        case .held:
            """
            SELECT \(Self.sessionColumns) FROM millrace_session s WHERE home = $1 AND incarnation = $2::bigint
            ORDER BY app, name
            """
        case .end:
            "DELETE FROM millrace_session WHERE id = $1 AND home = $2 AND incarnation = $3::bigint AND term = $4::bigint"
        case .save: "SELECT millrace_save($1, $2, $3::bigint, $4::bigint, $5::bigint, $6, $7::json, $8::json)"
        case .load:
            """
            WITH own AS (
                SELECT id, essence FROM millrace_session
                WHERE id = $1 AND home = $2 AND incarnation = $3::bigint AND term = $4::bigint)
            SELECT CASE WHEN essence IS NULL THEN 'session' ELSE 'essence' END, '', essence FROM own
            UNION ALL
            SELECT 'seat', t.connection, t.state FROM own JOIN millrace_seat t ON t.session = own.id
            """
        case .find: "SELECT \(Self.sessionColumns) FROM millrace_session s WHERE id = $1"
        case .sessions: "SELECT \(Self.sessionColumns) FROM millrace_session s ORDER BY app, name LIMIT $1::bigint"
        }
    }

    private static let microseconds = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

    private static let relayColumns = """
        id, incarnation, link, fingerprint, region, version, link_version, use, draining, expires > now(),
        greatest(0, (extract(epoch FROM now() - beat) * 1000000)::bigint)
        """

    private static let sessionColumns = """
        s.app, s.name, s.id, s.home, s.incarnation, s.term, EXISTS (SELECT FROM millrace_relay r
            WHERE r.id = s.home AND r.incarnation = s.incarnation AND r.expires > now())
        """
}
