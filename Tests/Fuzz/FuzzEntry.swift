import Glibc
import MillraceFuzzTargets

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// Set once, before libFuzzer starts.
nonisolated(unsafe) private var chosen: FuzzTarget?

/// The program's entry, by the name that the linker looks for in an executable target that has no `@main`.
@c(millrace_fuzz_main)
public func millraceFuzzMain(
    _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> Int32 {
    if count > 1, let first = arguments[1], strcmp(first, "--list") == 0 {
        FuzzProgram.list()
        return 0
    }
    guard let name = getenv(FuzzProgram.variable), let target = FuzzTarget.named(String(cString: name)) else {
        FuzzProgram.complain("\(FuzzProgram.variable) names no target; --list prints the names")
        return 2
    }
    chosen = target
    var count = count
    var arguments = arguments
    return runDriver(&count, &arguments) { bytes, count in
        do throws(FuzzViolation) {
            try chosen?.run(UnsafeRawBufferPointer(start: bytes, count: count))
        } catch {
            FuzzProgram.fail(error)
        }
        return 0
    }
}
