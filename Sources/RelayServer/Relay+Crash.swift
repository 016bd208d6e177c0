import CCrash
import ControlServer
import Logging
import NIOPosix

extension Relay {
    /// Installs crash reports, in `crash.directory` or on standard error, and logs reports of earlier runs.
    ///
    /// If the directory cannot be used, the relay still starts; it logs a warning and reports go to standard error.
    /// - Returns: the file of this run; nil if reports go to standard error.
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
        if skipped != 0 { logger.notice("crash reports are disabled: a sanitizer handles crashes of this build") }
        // Prepares the event loops, which run all the time. Other threads get an alternate stack with their first
        // decision.
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            loop.execute { millrace_crash_prepare_thread() }
        }
        return file
    }
}
