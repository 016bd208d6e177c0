package import RTP

/// Header extensions of an incoming packet that are forwarded to subscribers. The others concern only the hop from the publisher to the
/// relay. A flat struct, so that a queued packet carries it without a branch.
///
/// abs-capture-time is forwarded unchanged: the relay's sender reports use the publisher's clock, so its offset holds for them too.
package struct PassedExtensions: Sendable, BitwiseCopyable {
    package struct Flags: OptionSet, Sendable, BitwiseCopyable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let audioLevel = Flags(rawValue: 1)
        package static let captureTime = Flags(rawValue: 2)
        package static let captureClockOffset = Flags(rawValue: 4)
        package static let videoOrientation = Flags(rawValue: 8)
        package static let descriptor = Flags(rawValue: 16)
    }

    private(set) var captureTime: UInt64 = 0
    private(set) var captureClockOffset: UInt64 = 0
    /// Audio level (audio) or orientation (video), one byte; `flags` tells which.
    private(set) var levelOrOrientation: UInt8 = 0
    private(set) var flags: Flags = []
    /// Bytes of the dependency descriptor; 0 if it is not forwarded.
    private(set) var descriptorLength: UInt8 = 0
    /// Offset of the dependency descriptor from the payload's first byte in the ring.
    private(set) var descriptorOffset: UInt16 = 0

    package init() {}

    /// Values that `read` records as these, without the dependency descriptor.
    package var values: RTPExtensionValues {
        var time: AbsoluteCaptureTime?
        if flags.contains(.captureTime) {
            let offset = flags.contains(.captureClockOffset) ? Int64(bitPattern: captureClockOffset) : nil
            time = AbsoluteCaptureTime(NTPTime(rawValue: captureTime), offset: offset)
        }
        return RTPExtensionValues(audioLevel: audioLevel, videoOrientation: videoOrientation, captureTime: time)
    }

    /// Maximum number of bytes that the dependency descriptor adds to a packet.
    @inline(__always)
    var descriptorRoom: Int { descriptorLength == 0 ? 0 : Int(descriptorLength) + 5 }

    /// Records a dependency descriptor.
    ///
    /// It is forwarded unchanged except for its frame number. Its bit mask of active decode targets (section A.8.2) states those that the
    /// publisher sends; a subscriber that gets fewer layers recognizes this by the frames that it gets.
    mutating func setDescriptor(length: Int, offset: Int) {
        descriptorLength = UInt8(truncatingIfNeeded: length)
        descriptorOffset = UInt16(truncatingIfNeeded: offset)
        flags.insert(.descriptor)
    }

    /// Audio level; nil if the packet had none.
    package var audioLevel: AudioLevel? {
        flags.contains(.audioLevel) ? AudioLevel(rawValue: levelOrOrientation) : nil
    }

    /// Video orientation; nil if the packet had none.
    package var videoOrientation: VideoOrientation? {
        flags.contains(.videoOrientation) ? VideoOrientation(rawValue: levelOrOrientation) : nil
    }

    @inline(__always)
    mutating func read(_ values: borrowing RTPExtensionValues) {
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
