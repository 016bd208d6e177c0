package import MediaBase

/// A short burst above the present target that shows whether the path takes more: media, earlier packets or padding, sent at
/// `bitrate` and noted in the ring of sent packets under `id`, until `bytes` and `packets` are both reached.
package struct Probe: Hashable, Sendable {
    /// Not 0.
    package let id: UInt16
    package let bitrate: Bitrate
    package let bytes: Int
    package let packets: Int
    /// What `bytes` take at `bitrate`.
    package var duration: MediaTime {
        MediaTime(rawValue: Int64(bytes) * 8 * 1_000_000_000 / max(bitrate.rawValue, 1))
    }
}
