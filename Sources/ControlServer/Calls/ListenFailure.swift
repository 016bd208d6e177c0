import Foundation
import NIOCore

/// Reason for which the HTTP port could not be bound, with advice for the user.
package enum ListenFailure: Equatable, CustomStringConvertible {
    case addressInUse
    /// No interface of this host has the address.
    case foreignAddress
    case notPermitted
    /// Another error, with the system's message.
    case other(String)

    package var description: String {
        switch self {
        case .addressInUse:
            "another program uses the port; stop it (`ss -ltnp` names it), or choose another with http.port (--http-port)"
        case .foreignAddress: "no interface of this host has this address; `ip addr` lists the host's addresses"
        case .notPermitted:
            "this user may not bind the port; choose 1024 or above, or give the process CAP_NET_BIND_SERVICE"
        case .other(let text): text
        }
    }

    /// Converts an error of SwiftNIO.
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
