/// Packets that one path has dropped since the last call of `Router.takeDrops`.
package struct PathDrop: Sendable {
    package var path: Int
    package var packets: Int
    /// Total length of the dropped datagrams.
    package var bytes: Int
}
