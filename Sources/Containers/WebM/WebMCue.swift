/// An entry of the seek index: position of the cluster that begins with a key frame.
struct WebMCue {
    /// Milliseconds.
    var time: Int64
    var track: Int
    /// Bytes from the start of the segment's body.
    var clusterPosition: Int64
}
