import Dispatch
import Foundation

/// Writes the journals of recorded sessions, on a queue of its own. Callers never wait for the disk.
package final class JournalWriter: Sendable {
    /// Maximum number of entries that wait for the disk; further ones are dropped.
    package static let maximumWaiting = 1_000

    private let directory: String
    private let queue = DispatchQueue(label: "millrace.journal")
    private let state = JournalWriterState()
    private let observer: @Sendable (JournalLoss) -> Void

    /// - Parameters:
    ///   - directory: directory of all recordings.
    ///   - observer: called from any thread when entries begin to be lost, and not again until one was written; must not block.
    package init(directory: String, observer: @escaping @Sendable (JournalLoss) -> Void = { _ in }) {
        self.directory = directory
        self.observer = observer
    }

    /// Number of entries that were not written.
    package var lost: UInt64 { state.lost }

    /// Appends an entry to the journal of a session, soon.
    package func append(_ entry: JournalEntry, session: String) {
        guard state.begin(maximum: Self.maximumWaiting) else {
            if state.lose() { observer(.overloaded) }
            return
        }
        queue.async { [self] in
            let folder = directory + "/" + RecordingFileName.safe(session)
            var loss: JournalLoss?
            do throws(RecordingError) {
                if try !JournalFile.append(entry, folder: folder) { loss = .full(session: session) }
            } catch {
                loss = .failed(error)
            }
            state.end(isLost: loss != nil)
            if let loss, state.lose() { observer(loss) }
        }
    }

    /// Returns when everything so far is written or lost.
    package func flush() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}
