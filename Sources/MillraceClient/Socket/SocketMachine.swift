import MediaBase
import Signaling

/// State machine of a protocol over a WebSocket, without sockets and clocks; `SocketDriver` runs it.
protocol SocketMachine {
    /// Number of the current WebSocket; callbacks of earlier ones are ignored.
    var link: Int { get }
    /// Time of the next call of `handleTimeout`; `.never` if no timer is running.
    var deadline: MediaTime { get }

    mutating func opened(link: Int, now: MediaTime)
    mutating func refused(link: Int, _ error: SignalingError, now: MediaTime)
    mutating func receive(_ message: [UInt8], link: Int, now: MediaTime)
    mutating func closed(link: Int, reason: String, now: MediaTime)
    mutating func handleTimeout(now: MediaTime)
}
