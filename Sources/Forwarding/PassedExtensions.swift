package import RTP

/// What viewers are told of an incoming packet's header extensions; the rest of them is about the hop from the publisher to the relay
/// and ends here. Flat, so that a queued packet carries it without a branch.
///
/// abs-capture-time goes through as it is: the relay's sender reports are by the publisher's clock, so its offset holds for them too.
package struct PassedExtensions: Sendable {
    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let audioLevel = Flags(rawValue: 1)
        package static let captureTime = Flags(rawValue: 2)
        package static let captureClockOffset = Flags(rawValue: 4)
        package static let videoOrientation = Flags(rawValue: 8)
    }

    private(set) var captureTime: UInt64 = 0
    private(set) var captureClockOffset: UInt64 = 0
    /// Audio level of audio, orientation of video: one byte each, and the flag tells which.
    private(set) var levelOrOrientation: UInt8 = 0
    private(set) var flags: Flags = []

    init() {}

    /// Nil if the packet brought none.
    package var videoOrientation: VideoOrientation? {
        flags.contains(.videoOrientation) ? VideoOrientation(rawValue: levelOrOrientation) : nil
    }

    @inline(__always)
    init(_ values: borrowing RTPExtensionValues) {
        if let level = values.audioLevel {
            levelOrOrientation = level.rawValue
            flags.insert(.audioLevel)
        } else if let orientation = values.videoOrientation {
            levelOrOrientation = orientation.rawValue
            flags.insert(.videoOrientation)
        }
        guard let time = values.captureTime else { return }
        captureTime = time.time.rawValue
        flags.insert(.captureTime)
        if let offset = time.offset {
            captureClockOffset = UInt64(bitPattern: offset)
            flags.insert(.captureClockOffset)
        }
    }
}
