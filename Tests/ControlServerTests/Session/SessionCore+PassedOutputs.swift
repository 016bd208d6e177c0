@testable import ControlServer

extension SessionCore {
    /// Passes on all outputs, and those that follow from them.
    func passOutputs(to carryOut: (SessionOutput) -> Void) {
        while true {
            let outputs = takeOutputs()
            if outputs.isEmpty { return }
            for output in outputs { carryOut(output) }
        }
    }
}
