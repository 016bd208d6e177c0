package import Logging
import NIOConcurrencyHelpers

/// Minimum level of the messages that the relay logs, shared by its loggers; a running relay can change it.
package final class LogLevel: Sendable {
    private let level: NIOLockedValueBox<Logger.Level>

    package init(_ level: Logger.Level) { self.level = NIOLockedValueBox(level) }

    package var current: Logger.Level {
        get { level.withLockedValue { $0 } }
        set { level.withLockedValue { $0 = newValue } }
    }
}
