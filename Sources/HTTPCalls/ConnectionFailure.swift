import Foundation
import NIOCore
import NIOPosix
import TLSChannel

/// Reason for which a server could not be reached, with advice for the user.
package enum ConnectionFailure: Equatable, CustomStringConvertible {
    /// Nothing listens on the port.
    case refused
    case unknownHost
    case unreachable
    case timeout
    /// The other end closed the connection.
    case closed
    /// TLS failed: the server's certificate is not trusted, or the server speaks no TLS.
    case tls(String)
    /// Another error, with the system's message.
    case other(String)

    package var description: String {
        switch self {
        case .refused: "nothing listens there; start a relay with `millrace serve`, or check address and port"
        case .unknownHost: "the name does not resolve; check its spelling"
        case .unreachable: "the host is unreachable; check the address and this host's network"
        case .timeout: "no answer came in time; check the address, and whether a firewall drops packets"
        case .closed:
            "the server closed the connection; check that it is a relay, and whether it needs http: or https:"
        case .tls(let reason):
            "TLS failed (\(reason)); check that the relay uses TLS, and give its CA certificates with --authorities"
        case .other(let text): text
        }
    }

    /// Converts an error of SwiftNIO.
    package init(_ error: any Error) {
        switch error {
        case let error as NIOConnectionError:
            if let last = error.connectionErrors.last {
                self.init(last.error)
            } else {
                self = .unknownHost
            }
        case let error as IOError: self.init(errno: error.errnoCode)
        case ChannelError.connectTimeout: self = .timeout
        case let error as TLSFailure: self = .tls("\(error)")
        default: self = .other("\(error)")
        }
    }

    private init(errno number: Int32) {
        switch number {
        case ECONNREFUSED: self = .refused
        case EHOSTUNREACH, ENETUNREACH: self = .unreachable
        case ETIMEDOUT: self = .timeout
        case ECONNRESET, EPIPE: self = .closed
        default: self = .other(String(cString: strerror(number)))
        }
    }
}
