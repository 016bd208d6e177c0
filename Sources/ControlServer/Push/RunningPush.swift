import HTTPCalls
import MediaEngine
import WebRTCClient

/// WHIP push of one source to one server. It goes on until `stop` or the end of the source, also when this object is released.
final class RunningPush: Sendable {
    /// Ends after the push has ended: by `stop`, with its source, or by a failure without another try.
    let reports: AsyncStream<PushReport>
    private let mailbox = PushMailbox()

    /// Reports that may wait for the reader.
    private static let waitingReports = 64

    /// - Returns: nil if the system cannot start a thread.
    init?(to url: String, source: PushSource, caller: PushCaller) {
        let (reports, report) = AsyncStream.makeStream(
            of: PushReport.self, bufferingPolicy: .bufferingNewest(Self.waitingReports))
        self.reports = reports
        let thread = PushThread(url: url, source: source, caller: caller, mailbox: mailbox) { report.yield($0) }
        guard PushThread.start(thread, { report.finish() }) == 0 else {
            source.tap.close()
            return nil
        }
    }

    /// Ends the push. Returns at once; the server's resource is deleted afterwards.
    func stop() { mailbox.post(.stop) }
}
