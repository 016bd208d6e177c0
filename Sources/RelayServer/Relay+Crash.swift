import CCrash
import ControlServer
import Logging
import NIOPosix

extension Relay {
    /// Has a crash of the process leave a report, in `crash.directory` or on standard error, and logs what earlier runs left there.
    ///
    /// A directory that cannot be used is no reason not to serve: the log says so, and reports go to standard error.
    /// - Returns: the file of this run; nil: reports go to standard error.
    func beginCrashReports() -> CrashReports.File? {
        var file: CrashReports.File?
        if let reports = configuration.crashReports {
            for path in reports.takeNew() {
                logger.warning("an earlier run of the relay crashed", metadata: ["report": "\(path)"])
            }
            do {
                file = try reports.begin()
            } catch {
                logger.warning("crash reports go to standard error", metadata: ["reason": "\(error)"])
            }
        }
        let build =
            "\(BuildInfo.version) \(BuildInfo.configuration) swift \(BuildInfo.swiftVersion) \(BuildInfo.architecture)"
        let skipped = millrace_crash_install(
            file?.directory ?? -1, file?.descriptor ?? -1, file?.openName ?? "", file?.readyName ?? "", build)
        if skipped != 0 { logger.notice("a sanitizer handles crashes of this build; there are no crash reports") }
        // The threads of the control plane that run all the time; others get a stack with their first decision.
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            loop.execute { millrace_crash_prepare_thread() }
        }
        return file
    }
}
