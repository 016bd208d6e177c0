/// Reason that a relay did not start.
public enum RelayError: Error, Sendable, Equatable, CustomStringConvertible {
    case configuration(ConfigurationError)
    /// The media sockets or threads could not be created.
    case media(String)
    /// The HTTP port could not be bound.
    case http(address: String, port: Int, reason: String)
    /// The process's limit of open files is too low for media, database, recordings and connections.
    case openFiles(limit: Int, needed: Int)
    /// The recording directory cannot be written.
    case recordingDirectory(path: String, reason: String)
    /// The directory of reports cannot be written.
    case issuesDirectory(path: String, reason: String)
    /// The directory of crash reports cannot be used; the relay starts without it.
    case crashDirectory(path: String, reason: String)
    /// The database of conversations cannot be opened, and it is required.
    case storage(path: String, reason: String, advice: String)
    /// The certificate or key of the HTTP port cannot be used.
    case tls(String)
    /// The relay cannot be a member of its cluster.
    case cluster(String)
    /// `start` was called on a relay that was started before. A relay runs only once.
    case alreadyStarted

    public var description: String {
        switch self {
        case .configuration(let error): error.description
        case .media(let reason): "cannot start the media engine: \(reason)"
        case .http(let address, let port, let reason): "cannot listen for HTTP on \(address):\(port): \(reason)"
        case .openFiles(let limit, let needed):
            "the process may open \(limit) files; the relay needs at least \(needed): raise the hard limit (ulimit -Hn, "
                + "LimitNOFILE= in systemd)"
        case .recordingDirectory(let path, let reason): "cannot record into \(path): \(reason)"
        case .issuesDirectory(let path, let reason): "cannot write reports to \(path): \(reason)"
        case .crashDirectory(let path, let reason): "cannot write crash reports to \(path): \(reason)"
        case .storage(let path, let reason, let advice): "cannot store conversations in \(path): \(reason); \(advice)"
        case .tls(let reason): reason
        case .cluster(let reason): "cannot join the cluster: \(reason)"
        case .alreadyStarted: "the relay can be started only once"
        }
    }
}
