import Forwarding
import Glibc

extension SendDropCause {
    /// - Parameter error: errno of a send.
    init(errno error: Int32) {
        switch error {
        // ENOBUFS and ENOMEM: the queue of the network interface is full, or the kernel has no memory for it.
        case EAGAIN, ENOBUFS, ENOMEM: self = .bufferFull
        case EPERM, EACCES: self = .forbidden
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL, ENODEV, ENXIO: self = .unreachable
        case ECONNREFUSED, ECONNRESET, EPIPE: self = .closed
        case EMSGSIZE: self = .tooLong
        default: self = .other
        }
    }
}
