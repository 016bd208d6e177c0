internal import Foundation

extension Doctor {
    /// What this process may do.
    func process() -> [DoctorFinding] {
        var findings = [openFiles]
        if let path = configuration.effectiveRecordingDirectory { findings.append(recordings(path)) }
        return findings
    }

    private var openFiles: DoctorFinding {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return DoctorFinding("open files", .warn, "the limit cannot be read: \(errorText(errno))")
        }
        // Connections, three descriptors a worker, a file a recording, and what libraries hold.
        let wanted = configuration.httpConnections + 3 * configuration.mediaWorkers + 256
        let soft = limit.rlim_cur > UInt64(Int.max) ? Int.max : Int(limit.rlim_cur)
        if soft >= wanted { return DoctorFinding("open files", .ok, "\(soft)") }
        return DoctorFinding(
            "open files", .warn, "\(soft), \(wanted) may be needed",
            advice: "ulimit -n \(wanted) (LimitNOFILE= in systemd), or lower http.connections")
    }

    private func recordings(_ path: String) -> DoctorFinding {
        if FileManager.default.fileExists(atPath: path), !FileManager.default.isWritableFile(atPath: path) {
            return DoctorFinding(
                "recordings", .fail, "\(path) cannot be written", advice: "give this user the directory")
        }
        let existing = Self.nearestExisting(path)
        var isDirectory: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: existing, isDirectory: &isDirectory)
        guard isDirectory.boolValue, FileManager.default.isWritableFile(atPath: existing) else {
            return DoctorFinding(
                "recordings", .fail, "\(path) cannot be made in \(existing)", advice: "make it beforehand")
        }
        let free = (try? FileManager.default.attributesOfFileSystem(forPath: existing)[.systemFreeSize] as? NSNumber)?
            .int64Value
        guard let free else { return DoctorFinding("recordings", .ok, path) }
        let text = "\(path), \(free >> 20) MiB free"
        if free < 1 << 30 {
            return DoctorFinding("recordings", .warn, text, advice: "an hour of 2 Mb/s takes 900 MiB a stream")
        }
        return DoctorFinding("recordings", .ok, text)
    }

    private static func nearestExisting(_ path: String) -> String {
        var url = URL(filePath: path).absoluteURL
        while !FileManager.default.fileExists(atPath: url.path), url.path != "/" { url.deleteLastPathComponent() }
        return url.path
    }
}
