package import MediaBase

/// Encodings that a pipe may send, as determined by `PipeAllocator`.
package struct PipeAllocation: Sendable {
    /// For each video, the number of its encodings that may be sent, counted from the smallest.
    package internal(set) var available: [Int] = []
    /// Videos of which encodings with takers are withheld from now on. These takers need the largest that may be sent.
    package internal(set) var lowered: Set<Int> = []
    /// Rate of all that is sent.
    package internal(set) var used = Bitrate(rawValue: 0)
    /// Rate that the path has to carry before each video that is limited can get another encoding; 0 if none is limited.
    package internal(set) var wanted = Bitrate(rawValue: 0)
    /// Number of encodings that may not be sent.
    package internal(set) var withheld = 0

    package init() {}
}
