import Foundation

/// Number of processors that this process can use.
enum ProcessorCount {
    static var online: Int { ProcessInfo.processInfo.activeProcessorCount }
}
