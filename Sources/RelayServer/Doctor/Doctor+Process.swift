import Foundation

extension Doctor {
    /// Checks the limits and directories of the process.
    func process() -> [DoctorFinding] {
        let directories = [
            ("recordings", configuration.effectiveRecordingDirectory ?? ""),
            ("database", configuration.storageDirectory),
            ("reports", configuration.issuesDirectory),
        ]
        return [openFiles, crashes]
            + directories.filter { !$0.1.isEmpty }.map { check, path in directory(check, path) }
    }

    private var openFiles: DoctorFinding {
        guard let hard = OpenFileLimit.hard else {
            return DoctorFinding(
                "open files", .warn, "the limit cannot be read: \(errorText(errno))", advice: "check the sandbox")
        }
        return openFiles(limit: hard)
    }

    /// Checks the limit of open files that a relay raises its own to, and the connections that it allows.
    func openFiles(limit: Int) -> DoctorFinding {
        let check = "open files"
        let budget: FileBudget
        do throws(RelayError) {
            budget = try FileBudget(limit: limit, configuration: configuration)
        } catch {
            return DoctorFinding(
                check, .fail, error.description, advice: "raise LimitNOFILE= in systemd, or ulimit -Hn")
        }
        let text =
            "hard limit \(limit): \(budget.connections) connections, \(budget.connectionsPerAddress) of one address, "
            + "\(budget.mediaConnectionsPerWorker * configuration.mediaWorkers) of ICE over TCP, "
            + "\(budget.reserved) files reserved"
        if budget.connections >= configuration.httpConnections { return DoctorFinding(check, .ok, text) }
        return DoctorFinding(
            check, .warn, "\(text); http.connections is \(configuration.httpConnections)",
            advice: "raise the hard limit (LimitNOFILE= in systemd, ulimit -Hn), or lower http.connections")
    }

    private var crashes: DoctorFinding {
        guard let reports = configuration.crashReports else {
            return DoctorFinding("crash reports", .ok, "go to standard error; crash.directory keeps them in files")
        }
        let paths = reports.paths
        guard let newest = paths.last else { return DoctorFinding("crash reports", .ok, "none") }
        return DoctorFinding(
            "crash reports", .warn, "\(paths.count), the newest \(newest)",
            advice: "read it (docs/admin.md), report the error, and delete the file")
    }

    /// Checks whether a directory can be written or created, and its free space.
    private func directory(_ check: String, _ path: String) -> DoctorFinding {
        if FileManager.default.fileExists(atPath: path), !FileManager.default.isWritableFile(atPath: path) {
            return DoctorFinding(check, .fail, "\(path) cannot be written", advice: "make it writable for this user")
        }
        let existing = Self.nearestExisting(path)
        var isDirectory: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: existing, isDirectory: &isDirectory)
        guard isDirectory.boolValue, FileManager.default.isWritableFile(atPath: existing) else {
            return DoctorFinding(check, .fail, "\(path) cannot be created in \(existing)", advice: "create it first")
        }
        let free = (try? FileManager.default.attributesOfFileSystem(forPath: existing)[.systemFreeSize] as? NSNumber)?
            .int64Value
        guard let free else { return DoctorFinding(check, .ok, path) }
        let text = "\(path), \(free >> 20) MiB free"
        if free < 1 << 30 {
            return DoctorFinding(
                check, .warn, text, advice: "free space: one hour of a recorded stream at 2 Mb/s takes 900 MiB")
        }
        return DoctorFinding(check, .ok, text)
    }

    private static func nearestExisting(_ path: String) -> String {
        var url = URL(filePath: path).absoluteURL
        while !FileManager.default.fileExists(atPath: url.path), url.path != "/" { url.deleteLastPathComponent() }
        return url.path
    }
}
