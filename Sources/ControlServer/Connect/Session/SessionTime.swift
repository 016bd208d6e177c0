import MediaBase

/// Time of one turn of a session.
struct SessionTime: Sendable {
    /// Monotonic time.
    var now = MediaTime.zero
    /// Milliseconds since 1970.
    var wall: Int64 = 0
}
