import Foundation

/// Processors that this process can use.
enum ProcessorCount {
    static var online: Int { ProcessInfo.processInfo.activeProcessorCount }
}
