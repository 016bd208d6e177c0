import Foundation
import NIOCore

/// Why the HTTP port could not be taken, in words that say how to proceed.
package enum ListenFailure: Equatable, CustomStringConvertible {
    case addressInUse
    /// No interface of this host has the address.
    case foreignAddress
    case notPermitted
    /// Another error, in the words of the system.
    case other(String)

    package var description: String {
        switch self {
        case .addressInUse:
            "another program uses the port; stop it (`ss -ltnp` names it), or choose another with http.port (--http-port)"
        case .foreignAddress: "no interface of this host has this address; `ip addr` lists those it has"
        case .notPermitted:
            "this user may not use the port; choose one from 1024 on, or give the process CAP_NET_BIND_SERVICE"
        case .other(let text): text
        }
    }

    /// Reads an error of SwiftNIO.
    package init(_ error: any Error) {
        guard let error = error as? IOError else {
            self = .other("\(error)")
            return
        }
        switch error.errnoCode {
        case EADDRINUSE: self = .addressInUse
        case EADDRNOTAVAIL: self = .foreignAddress
        case EACCES, EPERM: self = .notPermitted
        case let number: self = .other(String(cString: strerror(number)))
        }
    }
}
