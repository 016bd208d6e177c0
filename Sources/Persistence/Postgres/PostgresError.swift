/// Failure of a connection, or of a statement on it.
struct PostgresError: Error {
    enum Cause {
        /// The connection is lost or useless, and the request may succeed on another one.
        case connection
        /// The connection is given up, and the time of the request is over.
        case timeLimit
        /// The connection was lost during a commit, so that it is not known whether the database has carried it out.
        case commit
        /// Only this statement has failed.
        case statement
    }

    let cause: Cause
    /// Text without values of the request.
    let reason: String
    /// SQLSTATE, if the database reported the failure.
    let state: String?
    /// Whether the tables are of a newer version than this program knows.
    let isOfVersion: Bool

    init(_ cause: Cause, _ reason: String, state: String? = nil, isOfVersion: Bool = false) {
        self.cause = cause
        self.isOfVersion = isOfVersion
        let text = reason.split(whereSeparator: \.isNewline).joined(separator: "; ")
        self.reason = String(text.prefix(Self.maximumCharacters))
        self.state = state
    }

    /// - Parameters:
    ///   - state: SQLSTATE of the failure.
    ///   - message: primary message of the database; its details are left out because they can contain values.
    init(state: String, message: String) {
        let isOfConnection = Self.connectionClasses.contains { state.hasPrefix($0) }
        self.init(isOfConnection ? .connection : .statement, "\(message) (SQLSTATE \(state))", state: state)
    }

    /// Whether the time of the statement was over, by the limit of the relay or by that of the server.
    var isOfTime: Bool {
        if case .timeLimit = cause { return true }
        return state == Self.queryCanceled
    }

    static let queryCanceled = "57014"
    static let undefinedTable = "42P01"
    private static let maximumCharacters = 400

    /// Prefixes of SQLSTATE after which another connection can help.
    private static let connectionClasses = [
        "08",  // the connection
        "57P",  // shutdown, crash or start of the server
        "25006",  // the server has become a standby
        "26000",  // a prepared statement is missing, for instance after `DISCARD ALL`
        "0A000",  // a prepared statement does not fit the tables any more
        undefinedTable,  // the database was replaced by an empty one: a new connection makes the tables
    ]
}
