import Signaling

/// Reports that are being kept, with the completions of their requests.
struct OpenIssues {
    struct ID: Hashable, Sendable {
        let rawValue: UInt64
    }

    /// Called with the id by which an operator finds the report.
    typealias Then = (Result<String, SignalingError>) -> Void

    private var lastID: UInt64 = 0
    private var open: [ID: Then] = [:]

    mutating func add(_ then: @escaping Then) -> ID {
        lastID += 1
        open[ID(rawValue: lastID)] = then
        return ID(rawValue: lastID)
    }

    mutating func take(_ id: ID) -> Then? { open.removeValue(forKey: id) }
}
