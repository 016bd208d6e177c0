/// Part of a session's journals that cannot be read.
enum JournalFault: Sendable {
    case file(String, RecordingError)
    /// Lines that are no entries.
    case lines(Int, file: String)

    var file: String {
        switch self {
        case .file(let name, _), .lines(_, let name): name
        }
    }

    var text: String {
        switch self {
        case .file(_, let error): error.description
        case .lines(let count, _): "\(count) \(count == 1 ? "line" : "lines") cannot be read"
        }
    }
}
