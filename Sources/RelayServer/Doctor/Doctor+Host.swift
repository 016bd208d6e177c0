import CLinuxNet
import Foundation

extension Doctor {
    /// Checks kernel, processors and clocks.
    func host() -> [DoctorFinding] {
        [kernel, processors, clock, time(isSynchronised: millrace_clock_is_synchronised())]
    }

    /// Checks the clock that the times of tokens and certificates are compared with.
    ///
    /// - Parameter isSynchronised: 1, 0, or a negative errno.
    func time(isSynchronised: Int32) -> DoctorFinding {
        switch isSynchronised {
        case 1: return DoctorFinding("time", .ok, "synchronised")
        case 0:
            return DoctorFinding(
                "time", .warn, "no time service keeps the clock",
                advice: "install chrony or systemd-timesyncd: session tokens and certificates have times")
        default: return DoctorFinding("time", .ok, "unknown: \(errorText(-isSynchronised))")
        }
    }

    private var kernel: DoctorFinding {
        let release = Self.kernelFile("/proc/sys/kernel/osrelease") ?? "unknown"
        let numbers = release.split(whereSeparator: { !$0.isNumber }).prefix(2).compactMap { Int($0) }
        guard numbers.count == 2 else {
            return DoctorFinding(
                "kernel", .warn, "release \(release) is unknown", advice: "run on Linux 5.0 or later")
        }
        // UDP_SEGMENT came with 4.18, UDP_GRO with 5.0.
        if (numbers[0], numbers[1]) < (5, 0) {
            return DoctorFinding(
                "kernel", .warn, "Linux \(release)", advice: "5.0 or later has UDP segmentation and coalescing both")
        }
        return DoctorFinding("kernel", .ok, "Linux \(release)")
    }

    private var processors: DoctorFinding {
        let count = ProcessInfo.processInfo.activeProcessorCount
        let workers = configuration.mediaWorkers
        if workers > count {
            return DoctorFinding(
                "processors", .warn, "\(count) for \(workers) workers", advice: "set media.workers to at most \(count)")
        }
        return DoctorFinding("processors", .ok, "\(count), \(workers) used by media workers")
    }

    private var clock: DoctorFinding {
        let source = Self.kernelFile("/sys/devices/system/clocksource/clocksource0/current_clocksource") ?? "unknown"
        let calls = 20_000
        var last: Int64 = 0
        var isBackwards = false
        let start = millrace_monotonic_ns()
        for _ in 0..<calls {
            let now = millrace_monotonic_ns()
            if now < last { isBackwards = true }
            last = now
        }
        let cost = (last - start) / Int64(calls)
        if isBackwards {
            return DoctorFinding(
                "clock", .fail, "source \(source) runs backwards", advice: "choose another clocksource")
        }
        // A higher cost means a system call for each reading: hpet, acpi_pm, or an emulated counter.
        if cost > 300 {
            return DoctorFinding(
                "clock", .warn, "source \(source), \(cost) ns a reading",
                advice: "tsc, kvm-clock or arch_sys_counter are read without a system call")
        }
        return DoctorFinding("clock", .ok, "source \(source), \(cost) ns a reading")
    }
}
