/// What happened to a worker's TCP connections since it started.
package struct StreamCounters: Sendable, Equatable {
    /// Connections that were taken.
    package var accepted: UInt64 = 0
    /// Connections that were closed at once because a limit was reached.
    package var refused: UInt64 = 0
    /// Times that the system could not give a connection, for want of descriptors or memory.
    package var acceptFailures: UInt64 = 0
    /// Connections that had not proved themselves in time or with too many bytes, or gave way to newer ones.
    package var unproven: UInt64 = 0
    /// Connections that were silent for too long.
    package var idle: UInt64 = 0
    /// Connections that sent a frame beyond the limit.
    package var broken: UInt64 = 0
    /// Connections that the peer or the network ended.
    package var lost: UInt64 = 0
    package var framesReceived: UInt64 = 0
    /// With the frames' headers.
    package var bytesReceived: UInt64 = 0
    /// Frames that were sent or wait to be.
    package var framesSent: UInt64 = 0
    package var bytesSent: UInt64 = 0
    /// Frames that found a slow reader's buffer full, or are longer than is allowed.
    package var framesDropped: UInt64 = 0

    package init() {}
}
