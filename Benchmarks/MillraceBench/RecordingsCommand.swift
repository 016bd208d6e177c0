import ArgumentParser
import Foundation

struct RecordingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recordings",
        abstract: "CPU time of many recordings at once, and whether a packet is missing in a file.",
        discussion: """
            Publishers in other processes send VP8 of 952 kb/s (frames of 4 packets, 30 a second) and Opus of 48 kb/s, 1 Mb/s for each stream, \
            to one worker, each at its own time within the interval. First nothing is recorded, then each stream has a \
            recorder, as in the relay: a queue from the worker, a thread, a file, and one index.json of the session. Columns: CPU time of the \
            worker's thread, of all recorders' threads together and of the whole process, as a share of one core. The kernel's \
            own threads, which write the files to the disk later, are not included.

            Then every file is read to its end: its frames, their times and the duration in the header must be those that were sent. \
            Ends with 1 if a packet was dropped or is missing, and if the recorders' threads use more than --limit.

            The files need 0.13 MB for each recording and second, in a new folder that is removed at the end. Each recording's queue \
            takes 4 MiB of memory.

            Example: millrace-bench recordings --recordings 100 --seconds 10 --directory /var/tmp
            """)

    @Option(help: "Streams that are recorded at the same time, 1 to 200.") var recordings = 50
    @Option(help: "Seconds of each of the two measurements.") var seconds = 30.0
    @Option(help: "Maximum CPU time of all recorders' threads together, in percent of one core.") var limit = 30.0
    @Option(help: "Existing folder in which the folder of the files is made (default: that of temporary files).")
    var directory: String?
    @Flag(help: "One JSON object for each measurement instead of the table.") var json = false

    /// Maximum number of faults that are printed.
    private static let printedFaults = 20

    func validate() throws {
        guard (1...200).contains(recordings), (0.1...3600).contains(seconds), limit > 0 else {
            throw ValidationError("--recordings takes 1 to 200, --seconds 0.1 to 3600, --limit more than 0")
        }
    }

    func run() async throws {
        let folder = URL(fileURLWithPath: directory ?? NSTemporaryDirectory(), isDirectory: true)
            .appendingPathComponent("millrace-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let run = RecordingsRun(recordings: recordings, seconds: seconds, directory: folder.path)
        if !json {
            print("\(recordings) streams of 1 Mb/s, CPU time in percent of one core")
            print("recorded  worker %  ns/packet  recorders %  process %  packets  dropped      MB  whole files")
            fflush(nil)
        }
        let baseline = try await run.run(isRecorded: false)
        try report(baseline)
        let recorded = try await run.run(isRecorded: true)
        try report(recorded)
        let share = 100 * recorded.recorderShare
        var faults = baseline.faults.map { "without recordings: \($0)" } + recorded.faults
        if recorded.droppedPackets > 0 { faults.append("\(recorded.droppedPackets) packets dropped by full queues") }
        if share > limit {
            faults.append(String(format: "the recorders use %.1f %% of one core, more than %g %%", share, limit))
        }
        if !json {
            print(
                String(
                    format:
                        "recorders: %.1f %% of one core (at most %g %%); worker: %.3f times its CPU time per packet",
                    share, limit, recorded.workerNanosecondsPerPacket / max(1, baseline.workerNanosecondsPerPacket)))
        }
        guard !faults.isEmpty else { return }
        for fault in faults.prefix(Self.printedFaults) { FileHandle.standardError.write(Data("\(fault)\n".utf8)) }
        if faults.count > Self.printedFaults {
            FileHandle.standardError.write(Data("\(faults.count - Self.printedFaults) more\n".utf8))
        }
        throw ExitCode(1)
    }

    private func report(_ result: RecordingsRun.Result) throws {
        if json {
            try JSONLine.print(result)
        } else {
            // `String(format:)` does not pad text on Linux.
            let files = result.isRecorded ? "\(result.wholeFiles)/\(result.files)" : "-"
            print(
                (result.isRecorded ? "yes     " : "no      ")
                    + String(
                        format: "  %8.1f  %9.0f  %11.1f  %9.1f  %7d  %7d  %6.1f  ", 100 * result.workerShare,
                        result.workerNanosecondsPerPacket, 100 * result.recorderShare, 100 * result.processShare,
                        Int(result.packets), Int(result.droppedPackets), Double(result.bytes) / 1e6) + files)
        }
        fflush(nil)
    }
}
