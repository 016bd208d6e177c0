import MediaBase
import Signaling

/// Rules that want a WebSocket, without sockets and clocks: what `SocketDriver` runs.
protocol SocketMachine {
    /// Number of the WebSocket that is wanted; what an earlier one tells counts no more.
    var link: Int { get }
    /// When `handleTimeout` is to be called; `.never` with nothing to wait for.
    var deadline: MediaTime { get }

    mutating func opened(link: Int, now: MediaTime)
    mutating func refused(link: Int, _ error: SignalingError, now: MediaTime)
    mutating func receive(_ message: [UInt8], link: Int, now: MediaTime)
    mutating func closed(link: Int, reason: String, now: MediaTime)
    mutating func handleTimeout(now: MediaTime)
}
