import Dispatch
import Glibc
import Synchronization

/// Ctrl-C or SIGTERM, which a command handles between two steps of its work; a second one ends the process.
final class Interruption: Sendable {
    private let requested = Atomic<Bool>(false)

    var isRequested: Bool { requested.load(ordering: .relaxed) }

    init() {
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                // The source stays for the rest of the process.
                if self.requested.exchange(true, ordering: .relaxed) { _exit(130) }
                _ = source
            }
            source.resume()
        }
    }
}
