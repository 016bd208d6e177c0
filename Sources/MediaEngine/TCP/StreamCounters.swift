/// Counters of a worker's TCP connections since its start.
package struct StreamCounters: Sendable, Equatable {
    /// Connections that were accepted.
    package var accepted: UInt64 = 0
    /// Connections that were closed at once because a limit was reached.
    package var refused: UInt64 = 0
    /// Pauses of accepting because the process was short of file descriptors or memory.
    package var acceptFailures: UInt64 = 0
    /// Connections that were not proven within the time or byte limit, or made way for newer ones.
    package var unproven: UInt64 = 0
    /// Connections closed because they were silent for too long.
    package var idle: UInt64 = 0
    /// Connections closed because a frame exceeded the size limit.
    package var broken: UInt64 = 0
    /// Connections closed by the peer or the network.
    package var lost: UInt64 = 0
    package var framesReceived: UInt64 = 0
    /// Bytes including the frames' headers.
    package var bytesReceived: UInt64 = 0
    /// Frames that were sent or queued.
    package var framesSent: UInt64 = 0
    package var bytesSent: UInt64 = 0
    /// Frames dropped because the buffer of a slow peer was full, or because they exceed the size limit.
    package var framesDropped: UInt64 = 0

    package init() {}
}
