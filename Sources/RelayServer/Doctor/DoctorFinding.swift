/// One finding of `millrace doctor`.
package struct DoctorFinding: Sendable, Codable, Equatable {
    package enum Level: String, Sendable, Codable, Comparable {
        case ok
        case warn
        case fail

        private var severity: Int {
            switch self {
            case .ok: 0
            case .warn: 1
            case .fail: 2
            }
        }

        package static func < (a: Level, b: Level) -> Bool { a.severity < b.severity }
    }

    /// Stable name of the check, one or two words.
    package var check: String
    package var level: Level
    /// Observed state.
    package var detail: String
    /// Advice for the operator; nil if nothing needs to be done.
    package var advice: String?

    package init(_ check: String, _ level: Level, _ detail: String, advice: String? = nil) {
        self.check = check
        self.level = level
        self.detail = detail
        self.advice = advice
    }
}
