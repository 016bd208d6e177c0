/// Part of a session's journals that cannot be read.
enum JournalFault: Sendable {
    case file(String, RecordingError)
    /// Lines that are no entries.
    case lines(Int, file: String)
    /// The files have more lines than are read; those after the limit, in this file and in later ones, are left out.
    case tooMany(limit: Int, file: String)

    var file: String {
        switch self {
        case .file(let name, _), .lines(_, let name), .tooMany(_, let name): name
        }
    }

    var text: String {
        switch self {
        case .file(_, let error): error.description
        case .lines(let count, _): "\(count) \(count == 1 ? "line" : "lines") cannot be read"
        case .tooMany(let limit, _): "more than \(limit) lines and participants; the rest is left out"
        }
    }
}
