import Glibc
import MillraceFuzzTargets

/// The program that `tools/fuzz` runs: libFuzzer around the target that `MILLRACE_FUZZ_TARGET` names. The name is in the environment, not
/// among the arguments, because libFuzzer starts itself again with arguments of its own.
enum FuzzProgram {
    static let variable = "MILLRACE_FUZZ_TARGET"

    /// Prints a line for each target: name, maximum bytes of an input, summary.
    static func list() {
        for target in FuzzTarget.all { print("\(target.name)\t\(target.maximumLength)\t\(target.summary)") }
    }

    /// Prints why the input should be kept, and ends in a way that libFuzzer treats as a crash.
    static func fail(_ violation: FuzzViolation) -> Never {
        complain("broken invariant: \(violation)")
        abort()
    }

    /// Prints a line on standard error.
    static func complain(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
