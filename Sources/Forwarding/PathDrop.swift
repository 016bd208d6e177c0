/// Packets that one path has dropped since it was last asked for.
package struct PathDrop: Sendable {
    package var path: Int
    package var packets: Int
    /// Length of their datagrams.
    package var bytes: Int
}
