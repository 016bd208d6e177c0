/// One entry of the seek index: where the cluster with a key frame begins.
struct WebMCue {
    /// Milliseconds.
    var time: Int64
    var track: Int
    /// Bytes from the start of the segment's body.
    var clusterPosition: Int64
}
