import MediaBase

/// H.264 with B frames, whose slices have no content.
extension TestStream {
    /// Positions of the frames in the order of display, in the order of decoding. They are 1/30 s long.
    static let displayOrder: [Int64] = [0, 3, 1, 2, 6, 4, 5, 9, 7, 8]

    static let reordered: [Packet] = displayOrder.enumerated().map { index, position in
        // Constrained baseline of 320x180 (SPS and PPS in one packet with the key frame); first_mb_in_slice is 0.
        let key: [UInt8] = [
            0x78, 0, 9, 0x67, 0x42, 0xe0, 0x1f, 0xda, 0x05, 0x06, 0x7e, 0x74, 0, 4, 0x68, 0xce, 0x3c, 0x80,
            0, 4, 0x65, 0x88, 0x84, 1,
        ]
        return Packet(
            kind: .video, sequence: Int64(index), timestamp: 90_000 + position * 3_000, marker: true,
            arrival: .seconds(100) + .milliseconds(Int64(index) * 33), captureNTP: nil,
            payload: index == 0 ? key : [0x41, 0x9a, UInt8(index), 1], frame: index)
    }
}
