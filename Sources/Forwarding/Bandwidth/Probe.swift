package import MediaBase

/// Short burst above the current target that shows whether the path can carry more: media, earlier packets or padding, sent at `bitrate`
/// and recorded under `id` in the ring of sent packets, until both `bytes` and `packets` are reached.
package struct Probe: Hashable, Sendable {
    /// Not 0.
    package let id: UInt16
    package let bitrate: Bitrate
    package let bytes: Int
    package let packets: Int
    /// Time to send `bytes` at `bitrate`.
    package var duration: MediaTime {
        MediaTime(rawValue: Int64(bytes) * 8 * 1_000_000_000 / max(bitrate.rawValue, 1))
    }
}
