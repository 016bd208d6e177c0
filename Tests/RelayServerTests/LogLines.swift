import Logging
import NIOConcurrencyHelpers

/// A log handler that stores its messages.
struct LogLines: LogHandler {
    private let kept = NIOLockedValueBox<[String]>([])
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    var messages: [String] { kept.withLockedValue { $0 } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { kept.withLockedValue { $0.append("\(event.level): \(event.message)") } }
}
