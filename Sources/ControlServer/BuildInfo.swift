/// Version and build settings of this binary.
package enum BuildInfo {
    package static let version = "0.1.0"

    package static var swiftVersion: String {
        #if compiler(>=6.4)
            "6.4+"
        #elseif compiler(>=6.3)
            "6.3"
        #elseif compiler(>=6.2)
            "6.2"
        #else
            "6.1"
        #endif
    }

    package static var configuration: String {
        #if DEBUG
            "debug"
        #else
            "release"
        #endif
    }

    package static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "arm64"
        #else
            "other"
        #endif
    }
}
